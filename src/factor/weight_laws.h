#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/log_sum.h"
#include "core/rng.h"
#include "core/truncated_normal.h"

/// Distributions of the weight v of a feature in a row that has it. Every law provides
///
/// log_density(v), draw(rng)
/// log_mean(u, lambda)       log E[exp(u v - lambda v^2 / 2)], lambda >= 0
/// draw_given(u, lambda, rng)  v with density proportional to p(v) exp(u v - lambda v^2 / 2)
/// log_scaled(c, sums)       log p(c v) - log p(v) summed over the weights with these sums
///
/// and, because singletons are symmetric in the joint signs of loadings and weights,
///
/// log_density_of_size(s)    of |v|
/// with_sign(s, rng)         v given |v|

namespace buffet {

/// Sums over weights.
struct WeightSums {
  double count, sizes, squares;

  /// Sums over the nonzero weights.
  explicit WeightSums(const Eigen::MatrixXd& v)
      : count(double((v.array() != 0).count())),
        sizes(v.cwiseAbs().sum()),
        squares(v.squaredNorm()) {}
};

/// log of the integral of exp(m v - lambda v^2 / 2) over v > 0.
inline double log_half_normal_integral(double m, double lambda) {
  const double scale = 1 / std::sqrt(lambda), t = m * scale;
  return std::log(scale) + 0.5 * std::log(2 * M_PI) + 0.5 * t * t + log_normal_cdf(t);
}

struct NormalWeight {
  static constexpr bool scales = true;

  static double log_density(double v) { return -0.5 * (v * v + std::log(2 * M_PI)); }
  static double draw(Rng& rng) { return rng.normal(); }
  static double log_mean(double u, double lambda) {
    return 0.5 * (u * u / (1 + lambda) - std::log1p(lambda));
  }
  static double draw_given(double u, double lambda, Rng& rng) {
    return (u + std::sqrt(1 + lambda) * rng.normal()) / (1 + lambda);
  }
  static double log_scaled(double c, const WeightSums& s) { return 0.5 * (1 - c * c) * s.squares; }
  static double log_density_of_size(double size) { return log_density(size) + M_LN2; }
  static double with_sign(double size, Rng& rng) { return rng.bernoulli(0.5) ? size : -size; }
};

/// The normal on [0, inf).
struct NonnegativeWeight {
  static constexpr bool scales = true;

  static double log_density(double v) { return NormalWeight::log_density(v) + M_LN2; }
  static double draw(Rng& rng) { return std::abs(rng.normal()); }
  static double log_mean(double u, double lambda) {
    return NormalWeight::log_mean(u, lambda) + M_LN2 + log_normal_cdf(u / std::sqrt(1 + lambda));
  }
  static double draw_given(double u, double lambda, Rng& rng) {
    return draw_nonnegative_normal(u / (1 + lambda), 1 / std::sqrt(1 + lambda), rng);
  }
  static double log_scaled(double c, const WeightSums& s) { return NormalWeight::log_scaled(c, s); }
  static double log_density_of_size(double size) { return log_density(size); }
  static double with_sign(double size, Rng&) { return size; }
};

/// The density exp(-|v|) / 2.
struct LaplaceWeight {
  static constexpr bool scales = true;

  static double log_density(double v) { return -std::abs(v) - M_LN2; }
  static double draw(Rng& rng) { return with_sign(-std::log(rng.uniform()), rng); }
  static double log_mean(double u, double lambda) {
    if (lambda < least) return 0;
    return log_add(log_half_normal_integral(u - 1, lambda),
                   log_half_normal_integral(-u - 1, lambda)) -
           M_LN2;
  }
  static double draw_given(double u, double lambda, Rng& rng) {
    if (lambda < least) return draw(rng);
    const double log_odds =
        log_half_normal_integral(u - 1, lambda) - log_half_normal_integral(-u - 1, lambda);
    const double sign = rng.uniform() < 1 / (1 + std::exp(-log_odds)) ? 1 : -1;
    return sign * draw_nonnegative_normal((sign * u - 1) / lambda, 1 / std::sqrt(lambda), rng);
  }
  static double log_scaled(double c, const WeightSums& s) { return (1 - c) * s.sizes; }
  static double log_density_of_size(double size) { return -size; }
  static double with_sign(double size, Rng& rng) { return rng.bernoulli(0.5) ? size : -size; }

 private:
  static constexpr double least = 1e-14;  ///< loadings of 0 carry no information about the weight
};

/// Integers 1, 2, ... with probabilities 1/2, 1/4, ...
struct CountWeight {
  static constexpr bool scales = false;

  static double log_density(double v) { return -v * M_LN2; }
  static double draw(Rng& rng) {
    double v = 1;
    while (rng.bernoulli(0.5)) ++v;
    return v;
  }
  static double log_mean(double u, double lambda) {
    double log_sum = -INFINITY;
    for_likely(u, lambda,
               [&](double, double log_weight) { log_sum = log_add(log_sum, log_weight); });
    return log_sum;
  }
  static double draw_given(double u, double lambda, Rng& rng) {
    double rest = std::log(rng.uniform()) + log_mean(u, lambda), log_sum = -INFINITY, drawn = 0;
    for_likely(u, lambda, [&](double v, double log_weight) {
      if (log_sum < rest || drawn == 0) drawn = v;
      log_sum = log_add(log_sum, log_weight);
    });
    return drawn;
  }
  static double log_scaled(double, const WeightSums&) { return 0; }
  static double with_sign(double size, Rng&) { return size; }

 private:
  /// Calls f(v, log of p(v) exp(u v - lambda v^2 / 2)) wherever this term is above rounding error:
  /// it is log-concave in v, so it decreases on both sides of its maximum.
  template <class F>
  static void for_likely(double u, double lambda, F f) {
    const double slope = u - M_LN2;
    const auto log_weight = [&](double v) { return slope * v - 0.5 * lambda * v * v; };
    const double top = lambda > 0 ? std::max(1.0, std::round(slope / lambda)) : 1;
    const double floor = log_weight(top) - 40;
    double v = top;
    while (v > 1 && log_weight(v - 1) > floor) --v;
    for (; v <= top || log_weight(v) > floor; ++v) f(v, log_weight(v));
  }
};

}  // namespace buffet
