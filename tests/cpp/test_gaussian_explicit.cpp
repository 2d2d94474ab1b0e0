#include <testthat/vendor/catch.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "gaussian/gaussian_nonnegative.h"
#include "gaussian/gaussian_uncollapsed.h"
#include "gaussian_case.h"
#include "scale.h"
#include "statistics.h"

using buffet::GaussianData;
using buffet::GaussianNonnegative;
using buffet::GaussianUncollapsed;
using namespace test;

namespace {

const Scales sigma{0.6, 1.7};

/// log p(x_i | Z, A) of the observed entries, A (K x D).
double naive_row(const Eigen::MatrixXd& x, const Features& z, const Eigen::MatrixXd& a, int i) {
  const Eigen::RowVectorXd fit = dense(z).row(i) * a;
  double sum = 0;
  for (int d = 0; d < x.cols(); ++d) {
    if (std::isnan(x(i, d))) continue;
    const double gap = x(i, d) - fit(d);
    sum -= 0.5 * (std::log(2 * M_PI * sigma.x * sigma.x) + gap * gap / (sigma.x * sigma.x));
  }
  return sum;
}

template <class Likelihood>
void check_row(const Likelihood& likelihood, const Eigen::MatrixXd& x, const Features& z, int i) {
  const Eigen::MatrixXd a = likelihood.loadings().transpose();
  for (int k = 0; k < z.size(); ++k) {
    Features other = z;
    other.flip(i, k);
    const double by = z.at(i, k) ? -1 : 1;
    check_close(likelihood.log_ratio(k), by * (naive_row(x, other, a, i) - naive_row(x, z, a, i)),
                std::abs(naive_row(x, z, a, i)));
  }
}

template <class Likelihood>
void check_ratios(double missing) {
  Rng rng(191);
  for (int n = 0; n < 100; ++n) {
    const int rows = 2 + rng.below(7), columns = 1 + rng.below(6);
    const Eigen::MatrixXd x = with_missing(draw_normal(rows, columns, 1.6, rng), missing, rng);
    Features z = random_features(rows, 1 + rng.below(5), rng);
    const GaussianData data(Eigen::MatrixXd(x.transpose()), false);
    Likelihood likelihood(data, fixed_precisions(sigma));
    likelihood.reset(z);
    likelihood.set_loadings(draw_normal(columns, z.size(), 1.1, rng).cwiseAbs());
    for (int visit = 0; visit < 5 && z.size() > 0; ++visit) {
      const int i = rng.below(rows);
      likelihood.enter(z, i);
      check_row(likelihood, x, z, i);
      for (int flips = 0; flips < 3; ++flips) {
        const int k = rng.below(z.size());
        if (z.is_own(i, k)) continue;
        z.flip(i, k);
        likelihood.flip(k);
        check_row(likelihood, x, z, i);
      }
      const auto ratio = [](int j) { return std::log(0.9 / (j + 1)); };
      likelihood.leave(z, likelihood.draw_own(ratio, rng));
      REQUIRE((likelihood.loadings().cols() == z.size()));
    }
  }
}

}  // namespace

TEST_CASE("ratios given normal loadings equal differences of the density of the row") {
  check_ratios<GaussianUncollapsed>(0);
  check_ratios<GaussianUncollapsed>(0.3);
}

TEST_CASE("ratios given nonnegative loadings equal differences of the density of the row") {
  check_ratios<GaussianNonnegative>(0);
  check_ratios<GaussianNonnegative>(0.3);
}

namespace {

/// Three rows, of which all have one feature of known loadings; the second row lacks an entry.
struct OneShared {
  Eigen::MatrixXd x{3, 3};
  Features z{3};
  Eigen::MatrixXd loading{3, 1};
  GaussianData data;

  OneShared() : data(Eigen::MatrixXd(values().transpose()), false) {
    x = values();
    z = from_dense(Eigen::MatrixXd::Ones(3, 1));
    loading << 0.7, 0.4, 1.2;
  }
  static Eigen::MatrixXd values() {
    Eigen::MatrixXd x(3, 3);
    x << 1.4, -0.3, 0.2, 2.9, 1.1, std::nan(""), 1.9, 0.8, -0.4;
    return x;
  }
  /// x_i less the shared feature, of the second row.
  double rest(int d) const { return x(1, d) - loading(d); }
};

/// Rows' own features of number j and loadings, drawn again and again.
template <class Likelihood, class Ratio, class Use>
void draw_again(OneShared& s, Likelihood& likelihood, Ratio ratio, Use use) {
  Rng rng(192);
  likelihood.reset(s.z);
  likelihood.set_loadings(s.loading);
  for (int n = 0; n < scaled(100000); ++n) {
    likelihood.enter(s.z, 1);
    const int own = likelihood.draw_own(ratio, rng);
    likelihood.leave(s.z, own);
    REQUIRE(s.z.size() == 1 + own);
    use(own, likelihood.loadings());
  }
}

}  // namespace

TEST_CASE("numbers of own features have their weights with normal loadings integrated out") {
  OneShared s;
  GaussianUncollapsed likelihood(s.data, fixed_precisions(sigma));
  std::vector<double> seen(12, 0), expected(12, 0);
  const double rate = 1.8;
  draw_again(
      s, likelihood, [&](int j) { return std::log(rate / (j + 1)); },
      [&](int own, const Eigen::MatrixXd&) { ++seen.at(own); });
  double total = 0;
  for (int j = 0; j < 12; ++j) {
    const double variance = std::pow(sigma.x, 2) + j * std::pow(sigma.a, 2);
    expected[j] = std::exp(j * std::log(rate) - std::lgamma(j + 1.0));
    for (int d = 0; d < 2; ++d)
      expected[j] *= std::exp(-0.5 * s.rest(d) * s.rest(d) / variance) / std::sqrt(variance);
    total += expected[j];
  }
  for (double& e : expected) e *= scaled(100000) / total;
  CHECK(chi_squared_p(seen, expected) > 1e-5);
}

// Given the rest r of the row, j loadings have mean sa^2 r / v and covariance sa^2 I - sa^4 / v, v
// = sx^2 + j sa^2; those of a missing entry have their prior.
TEST_CASE("loadings of own features have their law given what is left of the row") {
  for (int own : {1, 2, 3}) {
    INFO(own << " own features");
    OneShared s;
    GaussianUncollapsed likelihood(s.data, fixed_precisions(sigma));
    const double spread = std::pow(sigma.a, 2), v = std::pow(sigma.x, 2) + own * spread;
    std::vector<Moments> single, sum;
    for (int d = 0; d < 3; ++d) {
      const double share = d < 2 ? spread / v : 0, rest = d < 2 ? s.rest(d) : 0;
      single.emplace_back(share * rest, spread - share * spread);
      sum.emplace_back(own * share * rest, own * spread - own * own * share * spread);
    }
    draw_again(
        s, likelihood,
        [&](int j) { return j < own ? 500.0 : -std::numeric_limits<double>::infinity(); },
        [&](int, const Eigen::MatrixXd& a) {
          for (int d = 0; d < 3; ++d) {
            single[d].add(a(d, 1));
            sum[d].add(a.row(d).sum() - a(d, 0));
          }
        });
    for (int d = 0; d < 3; ++d) {
      CHECK(single[d].largest_z() < 4.5);
      CHECK(sum[d].largest_z() < 4.5);
    }
  }
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Integrals {
  double total, mean;
};

/// Over the loading in column d, not below `least`, of a feature that only the second row has:
/// prior times the ratio of the likelihoods with and without the feature; and its mean.
Integrals integrals(const OneShared& s, int d, double least) {
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

/// The log ratio of a feature that no other row has, and the means of the loadings drawn for it.
template <class Likelihood>
void check_own_ratio(double least) {
  OneShared s;
  Likelihood likelihood(s.data, fixed_precisions(sigma));
  likelihood.reset(s.z);
  likelihood.set_loadings(s.loading);
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

TEST_CASE("ratios of a feature that no other row has are those of quadrature over its loadings") {
  check_own_ratio<GaussianUncollapsed>(-infinity);
  check_own_ratio<GaussianNonnegative>(0);
}

TEST_CASE("births and deaths of a nonnegative feature have the odds and means of quadrature") {
  const double log_prior = -5.2;
  OneShared s;
  GaussianNonnegative likelihood(s.data, fixed_precisions(sigma));
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
  draw_again(
      s, likelihood,
      [&](int j) { return j < 1 ? log_prior : -std::numeric_limits<double>::infinity(); },
      [&](int own, const Eigen::MatrixXd& a) {
        born.add(own);
        for (int d = 0; d < 3; ++d) excess[d].add(own > 0 ? a(d, 1) - means[d] : 0);
      });
  CHECK(std::abs(born.z(odds / (1 + odds))) < 4.5);
  for (int d = 0; d < 3; ++d) CHECK(std::abs(excess[d].z(0)) < 4.5);
}

TEST_CASE("missing entries and normal loadings are drawn from their laws given all else") {
  Rng rng(193);
  const OneShared s;
  Eigen::MatrixXd matrix(3, 2), loadings(3, 2);
  matrix << 1, 0, 1, 1, 0, 1;
  loadings << 0.7, -0.4, 1.2, 0.3, -0.9, 0.8;
  const Features z = from_dense(matrix);
  GaussianUncollapsed likelihood(s.data, fixed_precisions(sigma));
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

TEST_CASE("the likelihood given nonnegative loadings is that of the rows") {
  Rng rng(194);
  const OneShared s;
  GaussianNonnegative likelihood(s.data, fixed_precisions(sigma));
  likelihood.set_loadings(draw_normal(3, 1, 1.3, rng).cwiseAbs());
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += naive_row(s.x, s.z, likelihood.loadings().transpose(), i);
  check_close(likelihood.log_lik(s.z), sum);
}
