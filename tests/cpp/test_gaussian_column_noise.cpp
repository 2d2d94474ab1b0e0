#include <testthat/vendor/catch.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/archive.h"
#include "draws.h"
#include "gaussian_case.h"
#include "regression/gaussian_column_noise.h"
#include "scale.h"
#include "scales.h"
#include "statistics.h"

using buffet::GaussianColumnNoise;
using buffet::GaussianData;
using namespace test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Scales random_scales(int columns, Rng& rng) {
  Scales sigma{1, 1.7};
  for (int d = 0; d < columns; ++d) sigma.columns.push_back(0.3 + 2 * rng.uniform());
  return sigma;
}

/// log p(x_i | Z, A) of the observed entries, A (D x K).
double naive_row(const Eigen::MatrixXd& x, const Features& z, const Eigen::MatrixXd& a,
                 const Scales& sigma, int i) {
  const Eigen::VectorXd fit = a * dense(z).row(i).transpose();
  double sum = 0;
  for (int d = 0; d < x.cols(); ++d) {
    if (std::isnan(x(i, d))) continue;
    const double gap = (x(i, d) - fit(d)) / sigma.noise(d);
    sum -= 0.5 * gap * gap + std::log(sigma.noise(d)) + 0.5 * std::log(2 * M_PI);
  }
  return sum;
}

/// Random data of few rows with a likelihood that knows the standard deviations.
struct NoisyCase {
  Eigen::MatrixXd x;
  Scales sigma;
  GaussianData data;
  GaussianColumnNoise likelihood;

  NoisyCase(Eigen::MatrixXd x_, Scales sigma_)
      : x(std::move(x_)),
        sigma(std::move(sigma_)),
        data(Eigen::MatrixXd(x.transpose()), false),
        likelihood(data, fixed_precisions(sigma)) {
    set_scales(likelihood, sigma);
  }
  NoisyCase(const NoisyCase&) = delete;

  void check_row(const Features& z, int i) const {
    const Eigen::MatrixXd a = likelihood.weights();
    const double here = naive_row(x, z, a, sigma, i);
    for (int k = 0; k < z.size(); ++k) {
      Features other = z;
      other.flip(i, k);
      const double there = naive_row(x, other, a, sigma, i);
      check_close(likelihood.log_ratio(k), z.at(i, k) ? here - there : there - here,
                  std::abs(here));
    }
  }
};

/// Visits with flips, after each of which all ratios are compared.
void check_ratios(double missing) {
  Rng rng(231);
  for (int n = 0; n < 100; ++n) {
    const int rows = 2 + rng.below(7), columns = 1 + rng.below(6);
    NoisyCase c(with_missing(draw_normal(rows, columns, 1.6, rng), missing, rng),
                random_scales(columns, rng));
    Features z = random_features(rows, 1 + rng.below(5), rng);
    c.likelihood.reset(z);
    c.likelihood.set_weights(draw_normal(columns, z.size(), 1.1, rng));
    for (int visit = 0; visit < 5 && z.size() > 0; ++visit) {
      const int i = rng.below(rows), k = rng.below(z.size());
      c.likelihood.enter(z, i);
      c.check_row(z, i);
      if (!z.is_own(i, k)) {
        z.flip(i, k);
        c.likelihood.flip(k);
        c.check_row(z, i);
      }
      const auto ratio = [](int j) { return std::log(0.9 / (j + 1)); };
      c.likelihood.leave(z, c.likelihood.draw_own(ratio, rng));
      REQUIRE(c.likelihood.weights().cols() == z.size());
      REQUIRE(c.likelihood.loadings().cols() == z.size() + 1);
    }
  }
}

/// Three rows, of which all have one feature of known loadings; the second row lacks an entry.
struct OneShared : NoisyCase {
  Features z = from_dense(Eigen::MatrixXd::Ones(3, 1));
  Eigen::Vector3d loading{0.7, 0.4, 1.2};

  OneShared() : NoisyCase(values(), {1, 1.7, {0.4, 1.1, 0.8}}) {
    likelihood.reset(z);
    likelihood.set_weights(loading);
  }
  static Eigen::MatrixXd values() {
    Eigen::MatrixXd x(3, 3);
    x << 1.4, -0.3, 0.2, 2.9, 1.1, std::nan(""), 1.9, 0.8, -0.4;
    return x;
  }
  /// x_i less the shared feature, of the second row.
  double rest(int d) const { return x(1, d) - loading(d); }

  /// Own features of the second row, drawn again and again.
  template <class Ratio, class Use>
  void draw_again(Ratio ratio, Use use) {
    Rng rng(232);
    for (int n = 0; n < scaled(100000); ++n) {
      likelihood.enter(z, 1);
      const int own = likelihood.draw_own(ratio, rng);
      likelihood.leave(z, own);
      use(own, likelihood.weights());
    }
  }
};

}  // namespace

TEST_CASE("ratios given loadings weigh every column by its own noise") {
  check_ratios(0);
  check_ratios(0.3);
}

TEST_CASE("numbers of own features have their weights where each column has its own noise") {
  OneShared s;
  std::vector<double> seen(12, 0), expected(12, 0);
  const double rate = 1.8;
  s.draw_again([&](int j) { return std::log(rate / (j + 1)); },
               [&](int own, const Eigen::MatrixXd&) { ++seen.at(own); });
  double total = 0;
  for (int j = 0; j < 12; ++j) {
    expected[j] = std::exp(j * std::log(rate) - std::lgamma(j + 1.0));
    for (int d = 0; d < 2; ++d) {
      const double variance = std::pow(s.sigma.noise(d), 2) + j * std::pow(s.sigma.a, 2);
      expected[j] *= std::exp(-0.5 * s.rest(d) * s.rest(d) / variance) / std::sqrt(variance);
    }
    total += expected[j];
  }
  for (double& e : expected) e *= scaled(100000) / total;
  CHECK(chi_squared_p(seen, expected) > 1e-5);
}

// As where one noise serves all columns, with v_d = sigma_d^2 + j sigma_a^2.
TEST_CASE("loadings of own features have their law where each column has its own noise") {
  for (int own : {1, 2, 3}) {
    INFO(own << " own features");
    OneShared s;
    std::vector<Moments> single, sum;
    for (int d = 0; d < 3; ++d) {
      const double spread = std::pow(s.sigma.a, 2);
      const double v = std::pow(s.sigma.noise(d), 2) + own * spread;
      const double share = d < 2 ? spread / v : 0, rest = d < 2 ? s.rest(d) : 0;
      single.emplace_back(share * rest, spread - share * spread);
      sum.emplace_back(own * share * rest, own * spread - own * own * share * spread);
    }
    s.draw_again([&](int j) { return j < own ? 500.0 : -infinity; },
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

TEST_CASE("a bound on what one more own feature gains falls, and is never below the gain") {
  Rng rng(233);
  for (int n = 0; n < 50; ++n) {
    buffet::OwnColumnDensity density;
    density.set(draw_normal(4, 1, 1.5, rng).array().square());
    density.enter(draw_normal(4, 1, 5 * rng.uniform(), rng).array().square());
    for (int j = 1; j < 20; ++j) {
      CHECK(density.most_gain(j) >= density(j) - density(j - 1));
      if (j > 1) CHECK(density.most_gain(j) <= density.most_gain(j - 1));
    }
  }
}

TEST_CASE("the likelihood is that of the observed entries, the loadings integrated out") {
  Rng rng(234);
  for (int n = 0; n < 60; ++n) {
    const int rows = 2 + rng.below(7), columns = 1 + rng.below(5);
    const Features z = random_features(rows, rng.below(5), rng);
    NoisyCase c(with_missing(draw_normal(rows, columns, 1.6, rng), n % 2 * 0.3, rng),
                random_scales(columns, rng));
    check_close(c.likelihood.log_lik(z), log_lik(dense(z), c.x, c.sigma));
  }
}

TEST_CASE("a start has the loadings' posterior mean, and what is kept begins with the noise") {
  Rng rng(235);
  Features z = random_features(6, 3, rng);
  NoisyCase c(with_missing(draw_normal(6, 4, 1.6, rng), 0.2, rng), random_scales(4, rng));
  std::vector<std::vector<Moments>> moments;
  c.likelihood.reset(z);
  const Eigen::MatrixXd kept = c.likelihood.loadings();
  for (int d = 0; d < 4; ++d) CHECK(kept(d, 0) == Approx(c.sigma.noise(d)));
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(3, 4), squares = sum;
  const int draws = scaled(20000);
  for (int n = 0; n < draws; ++n) {
    const Eigen::MatrixXd a = draw_loadings(dense(z), c.x, c.sigma, rng);
    sum += a;
    squares += a.cwiseAbs2();
  }
  for (int d = 0; d < 4; ++d)
    for (int k = 0; k < 3; ++k) {
      const double mean = sum(k, d) / draws, variance = squares(k, d) / draws - mean * mean;
      CHECK(std::abs(z_score(mean - kept(d, k + 1), variance / draws)) < 4.5);
    }
}

TEST_CASE("the noise of each column is drawn from its law given the loadings") {
  OneShared s;
  GaussianColumnNoise likelihood(s.data, {Hyper::gamma(4.2, 1.7), Hyper::gamma(5.1, 3.3)});
  likelihood.reset(s.z);
  std::vector<Moments> precisions;
  for (int d = 0; d < 3; ++d) {
    double shape = 4.2, rate = 1.7;
    for (int i = 0; i < 3; ++i) {
      if (std::isnan(s.x(i, d))) continue;
      shape += 0.5;
      rate += 0.5 * std::pow(s.x(i, d) - s.loading(d), 2);
    }
    precisions.emplace_back(shape / rate, shape / (rate * rate));
  }
  const double shape = 5.1 + 1.5, rate = 3.3 + 0.5 * s.loading.squaredNorm();
  Moments of_loadings(shape / rate, shape / (rate * rate));
  Rng rng(236);
  for (int n = 0; n < scaled(50000); ++n) {
    likelihood.set_weights(s.loading);
    likelihood.update(s.z, rng);
    for (int d = 0; d < 3; ++d) precisions[d].add(likelihood.precisions().x()(d));
    of_loadings.add(std::pow(likelihood.sigma_a(), -2));
  }
  for (const Moments& m : precisions) CHECK(m.largest_z() < 4.5);
  CHECK(of_loadings.largest_z() < 4.5);
  CHECK((likelihood.weights() - s.loading).norm() < 1e-12);
}

TEST_CASE("a search has noise floors in proportion to the columns, and leaves without them") {
  Rng rng(237);
  Eigen::MatrixXd x = draw_normal(40, 3, 1, rng);
  x.col(1) *= 10;
  const Features z = random_features(40, 2, rng);
  NoisyCase c(x, {1, 1.7, {0.05, 0.5, 0.05}});
  const auto sigmas = [&] { return c.likelihood.precisions().sigmas(); };
  c.likelihood.reset(z);
  const Eigen::MatrixXd before = c.likelihood.weights();
  c.likelihood.anneal(0);
  CHECK(sigmas()(0) == Approx(std::sqrt(x.col(0).squaredNorm() / 40)));
  CHECK(sigmas()(1) == Approx(std::sqrt(x.col(1).squaredNorm() / 40)));
  CHECK((c.likelihood.weights() - before).norm() < 1e-12);
  NoisyCase read(x, c.sigma);
  read.likelihood.reset(z);
  from_bytes(to_bytes(c.likelihood), read.likelihood);
  CHECK((read.likelihood.precisions().sigmas() == sigmas()).all());
  c.likelihood.anneal(1);
  for (int d = 0; d < 3; ++d) CHECK(sigmas()(d) == Approx(c.sigma.noise(d)));
  GaussianColumnNoise learned(c.data, {Hyper::gamma(1, 1), Hyper::gamma(1, 1)});
  learned.restart();
  learned.reset(z);
  learned.anneal(0.375);
  for (int n = 0; n < 20; ++n) learned.update(z, rng);
  const Eigen::ArrayXd floors = learned.precisions().sigmas();
  CHECK(floors(0) >= 0.999 * std::sqrt(x.col(0).squaredNorm() / 400));
  CHECK(floors(1) >= 0.999 * std::sqrt(x.col(1).squaredNorm() / 400));
}
