#pragma once

// Checks of Gaussian likelihoods with explicit loadings, one visit at a time.

#include <testthat/vendor/catch.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "scale.h"
#include "scales.h"
#include "statistics.h"

namespace test {

/// log p(x_i | Z, A) of the observed entries of row i; A is D x K.
inline double naive_row(const Eigen::MatrixXd& x, const Features& z, const Eigen::MatrixXd& a,
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

/// Data and their likelihood with known standard deviations.
template <class Likelihood>
struct ExplicitCase {
  Eigen::MatrixXd x;
  Scales sigma;
  buffet::GaussianData data;
  Likelihood likelihood;

  ExplicitCase(Eigen::MatrixXd x_, Scales sigma_)
      : x(std::move(x_)),
        sigma(std::move(sigma_)),
        data(Eigen::MatrixXd(x.transpose()), false),
        likelihood(data, fixed_precisions(sigma)) {
    set_scales(likelihood, sigma);
  }
  ExplicitCase(const ExplicitCase&) = delete;

  void check_row(const Features& z, int i) const {
    const Eigen::MatrixXd a = loadings_of(likelihood);
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

/// Compares all log ratios with naive_row() after every flip of a visit. scales(columns, rng)
/// returns the standard deviations.
template <class Likelihood, class ScalesOf>
void check_ratios(double missing, ScalesOf scales) {
  Rng rng(191);
  for (int n = 0; n < 100; ++n) {
    const int rows = 2 + rng.below(7), columns = 1 + rng.below(6);
    const Eigen::MatrixXd x = with_missing(draw_normal(rows, columns, 1.6, rng), missing, rng);
    ExplicitCase<Likelihood> c(x, scales(columns, rng));
    Features z = random_features(rows, 1 + rng.below(5), rng);
    c.likelihood.reset(z);
    set_loadings(c.likelihood, draw_normal(columns, z.size(), 1.1, rng).cwiseAbs());
    for (int visit = 0; visit < 5 && z.size() > 0; ++visit) {
      const int i = rng.below(rows);
      c.likelihood.enter(z, i);
      c.check_row(z, i);
      for (int flips = 0; flips < 3; ++flips) {
        const int k = rng.below(z.size());
        if (z.is_own(i, k)) continue;
        z.flip(i, k);
        c.likelihood.flip(k);
        c.check_row(z, i);
      }
      const auto ratio = [](int j) { return std::log(0.9 / (j + 1)); };
      c.likelihood.leave(z, c.likelihood.draw_own(ratio, rng));
      REQUIRE(loadings_of(c.likelihood).cols() == z.size());
    }
  }
}

/// Three rows that share one feature with known loadings; the second row has a missing entry.
template <class Likelihood>
struct OneShared : ExplicitCase<Likelihood> {
  Features z = from_dense(Eigen::MatrixXd::Ones(3, 1));
  Eigen::Vector3d loading{0.7, 0.4, 1.2};

  explicit OneShared(const Scales& sigma) : ExplicitCase<Likelihood>(values(), sigma) {
    this->likelihood.reset(z);
    set_loadings(this->likelihood, loading);
  }
  static Eigen::MatrixXd values() {
    Eigen::MatrixXd x(3, 3);
    x << 1.4, -0.3, 0.2, 2.9, 1.1, std::nan(""), 1.9, 0.8, -0.4;
    return x;
  }
  /// Entry d of the second row, minus the loading of the shared feature.
  double rest(int d) const { return this->x(1, d) - loading(d); }

  /// Repeatedly draws the singletons of the second row; use(number, loadings) receives each draw.
  template <class Ratio, class Use>
  void draw_again(Ratio ratio, Use use) {
    Rng rng(192);
    for (int n = 0; n < scaled(100000); ++n) {
      this->likelihood.enter(z, 1);
      const int own = this->likelihood.draw_own(ratio, rng);
      this->likelihood.leave(z, own);
      REQUIRE(z.size() == 1 + own);
      use(own, loadings_of(this->likelihood));
    }
  }
};

/// Checks the probabilities of the number of singletons when normal loadings are integrated out.
template <class Likelihood>
void check_own_numbers(const Scales& sigma) {
  OneShared<Likelihood> s(sigma);
  std::vector<double> seen(12, 0), expected(12, 0);
  const double rate = 1.8;
  s.draw_again([&](int j) { return std::log(rate / (j + 1)); },
               [&](int own, const Eigen::MatrixXd&) { ++seen.at(own); });
  double total = 0;
  for (int j = 0; j < 12; ++j) {
    expected[j] = std::exp(j * std::log(rate) - std::lgamma(j + 1.0));
    for (int d = 0; d < 2; ++d) {
      const double variance = std::pow(sigma.noise(d), 2) + j * std::pow(sigma.a, 2);
      expected[j] *= std::exp(-0.5 * s.rest(d) * s.rest(d) / variance) / std::sqrt(variance);
    }
    total += expected[j];
  }
  for (double& e : expected) e *= scaled(100000) / total;
  CHECK(chi_squared_p(seen, expected) > 1e-5);
}

/// Given the residual r of the row, the loadings of j singletons in column d have mean sa^2 r / v
/// and covariance sa^2 I - sa^4 / v, v = sd^2 + j sa^2; for a missing entry, they have their prior
/// distribution.
template <class Likelihood>
void check_own_loadings(const Scales& sigma) {
  for (int own : {1, 2, 3}) {
    INFO(own << " own features");
    OneShared<Likelihood> s(sigma);
    std::vector<Moments> single, sum;
    for (int d = 0; d < 3; ++d) {
      const double spread = std::pow(sigma.a, 2), v = std::pow(sigma.noise(d), 2) + own * spread;
      const double share = d < 2 ? spread / v : 0, rest = d < 2 ? s.rest(d) : 0;
      single.emplace_back(share * rest, spread - share * spread);
      sum.emplace_back(own * share * rest, own * spread - own * own * share * spread);
    }
    s.draw_again([&](int j) { return j < own ? 500.0 : -std::numeric_limits<double>::infinity(); },
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

}  // namespace test
