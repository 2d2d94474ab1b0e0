#include <testthat/vendor/catch.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "explicit_case.h"
#include "gaussian/gaussian_nonnegative.h"
#include "gaussian/gaussian_uncollapsed.h"

using buffet::GaussianNonnegative;
using buffet::GaussianUncollapsed;
using namespace test;

namespace {

const Scales sigma{0.6, 1.7};

const auto same_noise = [](int, Rng&) { return sigma; };

}  // namespace

TEST_CASE("ratios given normal loadings equal differences of the density of the row") {
  for (double missing : {0.0, 0.3}) check_ratios<GaussianUncollapsed>(missing, same_noise);
}
TEST_CASE("ratios given nonnegative loadings equal differences of the density of the row") {
  for (double missing : {0.0, 0.3}) check_ratios<GaussianNonnegative>(missing, same_noise);
}

TEST_CASE("numbers of singletons have their weights with normal loadings integrated out") {
  check_own_numbers<GaussianUncollapsed>(sigma);
}
TEST_CASE("loadings of singletons have their law given the row's residual") {
  check_own_loadings<GaussianUncollapsed>(sigma);
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Integrals {
  double total, mean;
};

/// For a feature that only the second row has: the integral, over its loading in column d from
/// `least` up, of the prior times the ratio of the likelihoods with and without the feature; and
/// the mean of the loading.
template <class Likelihood>
Integrals integrals(const OneShared<Likelihood>& s, int d, double least) {
  const auto density = [&](double a) {
    const double gap = s.rest(d) - a, fit = d < 2 ? s.rest(d) * s.rest(d) - gap * gap : 0;
    return (least < 0 ? 1 : 2) / std::sqrt(2 * M_PI) / sigma.a *
           std::exp(-0.5 * a * a / (sigma.a * sigma.a) + 0.5 * fit / (sigma.x * sigma.x));
  };
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
  const double total = Quadrature::integrate(density, least, infinity);
  const auto moment = [&](double a) { return a * density(a); };
  return {total, Quadrature::integrate(moment, least, infinity) / total};
}

/// The log ratio for a feature that no other row has, and the means of the loadings that are drawn
/// for it.
template <class Likelihood>
void check_own_ratio(double least) {
  OneShared<Likelihood> s(sigma);
  Likelihood& likelihood = s.likelihood;
  likelihood.append_unused();
  s.z.add(buffet::Bits(3));
  double log_ratio = 0;
  for (int d = 0; d < 3; ++d) log_ratio += std::log(integrals(s, d, least).total);
  Rng rng(195);
  std::vector<Mean> drawn(3);
  likelihood.enter(s.z, 1);
  const double off = likelihood.log_ratio_own(1);
  for (int n = 0; n < scaled(50000); ++n) {
    likelihood.draw_loading(1, rng);
    for (int d = 0; d < 3; ++d) drawn[d].add(likelihood.loadings()(d, 1));
  }
  for (int d = 0; d < 3; ++d) {
    const double gap = drawn[d].value() - integrals(s, d, least).mean;
    CHECK(std::abs(z_score(gap, drawn[d].variance())) < 4.5);
  }
  s.z.flip(1, 1);
  likelihood.flip(1);
  const double on = likelihood.log_ratio_own(1);
  CHECK(off == Approx(log_ratio).epsilon(1e-7));
  CHECK(on == Approx(log_ratio).epsilon(1e-7));
}

}  // namespace

TEST_CASE("ratios of a feature that no other row has agree with quadrature over its loadings") {
  check_own_ratio<GaussianUncollapsed>(-infinity);
  check_own_ratio<GaussianNonnegative>(0);
}

TEST_CASE("births and deaths of a nonnegative feature have the odds and means from quadrature") {
  const double log_prior = -5.2;
  OneShared<GaussianNonnegative> s(sigma);
  double odds = std::exp(log_prior);
  std::vector<double> means;
  for (int d = 0; d < 3; ++d) {
    const Integrals one = integrals(s, d, 0);
    means.push_back(one.mean);
    odds *= one.total;
  }
  REQUIRE(odds > 0.2);
  REQUIRE(odds < 10);
  BatchMean born(scaled(100000), 200);
  std::vector<BatchMean> excess(3, born);
  s.draw_again([&](int j) { return j < 1 ? log_prior : -infinity; },
               [&](int own, const Eigen::MatrixXd& a) {
                 born.add(own);
                 for (int d = 0; d < 3; ++d) excess[d].add(own > 0 ? a(d, 1) - means[d] : 0);
               });
  CHECK(std::abs(born.z(odds / (1 + odds))) < 4.5);
  for (int d = 0; d < 3; ++d) CHECK(std::abs(excess[d].z(0)) < 4.5);
}

TEST_CASE("missing entries and normal loadings are drawn from their full conditionals") {
  Rng rng(193);
  OneShared<GaussianUncollapsed> s(sigma);
  GaussianUncollapsed& likelihood = s.likelihood;
  Eigen::MatrixXd matrix(3, 2), loadings(3, 2);
  matrix << 1, 0, 1, 1, 0, 1;
  loadings << 0.7, -0.4, 1.2, 0.3, -0.9, 0.8;
  const Features z = from_dense(matrix);
  likelihood.reset(z);
  Moments entry(loadings.row(2).sum(), std::pow(sigma.x, 2));
  const Eigen::Matrix2d precision = matrix.transpose() * matrix / std::pow(sigma.x, 2) +
                                    Eigen::Matrix2d::Identity() / std::pow(sigma.a, 2);
  const Eigen::Matrix2d covariance = precision.inverse();
  const Eigen::Vector2d mean = covariance * matrix.transpose() * s.x.col(1) / std::pow(sigma.x, 2);
  Moments first(mean(0), covariance(0, 0)), second(mean(1), covariance(1, 1)),
      sum(mean.sum(), covariance.sum());
  for (int n = 0; n < scaled(50000); ++n) {
    likelihood.set_loadings(loadings);
    likelihood.integrate_out(z, rng);
    entry.add(likelihood.collapsed().completed().hidden(1)(0));
    likelihood.update(z, rng);
    const auto& a = likelihood.loadings();
    first.add(a(1, 0));
    second.add(a(1, 1));
    sum.add(a(1, 0) + a(1, 1));
  }
  for (const Moments& m : {entry, first, second, sum}) CHECK(m.largest_z() < 4.5);
}

TEST_CASE("the likelihood given nonnegative loadings agrees with the rows") {
  Rng rng(194);
  OneShared<GaussianNonnegative> s(sigma);
  s.likelihood.set_loadings(draw_normal(3, 1, 1.3, rng).cwiseAbs());
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += naive_row(s.x, s.z, s.likelihood.loadings(), sigma, i);
  check_close(s.likelihood.log_lik(s.z), sum);
}
