#pragma once

#include <algorithm>
#include <cmath>

#include "rng.h"

namespace buffet {

/// Polya-Gamma PG(b, z) for any b > 0 (Polson, Scott & Windle 2013, eq. 1): a sum of
/// Gamma(b, 1) / d_k, d_k = 2 pi^2 (k - 1/2)^2 + z^2 / 2, whose terms beyond the first 10 + |z| are
/// one gamma variable of the same mean and variance: of the third cumulant less than 1e-7 is missed
/// where |z| is at most 5, and 2e-5 anywhere.
class PolyaGammaSum {
 public:
  PolyaGammaSum(double b, double z) : b_(b), z_(std::abs(z)) {}

  double mean() const { return b_ * mean_of_one(); }
  double variance() const { return b_ * variance_of_one(); }

  double draw(Rng& rng) const {
    double sum = 0, mean = mean_of_one(), variance = variance_of_one();
    const int terms = 10 + static_cast<int>(std::min(z_, 1000.0));
    for (int k = 0; k < terms; ++k) {
      const double weight = 1 / (2 * M_PI * M_PI * (k + 0.5) * (k + 0.5) + 0.5 * z_ * z_);
      sum += weight * gamma(b_, rng);
      mean -= weight;
      variance -= weight * weight;
    }
    return sum + gamma(b_ * mean * mean / variance, rng) * variance / mean;
  }

 private:
  /// Gamma(shape, 1) by Marsaglia & Tsang (2000), which is twice as fast as Rng's where the shape
  /// changes from draw to draw.
  static double gamma(double shape, Rng& rng) {
    if (shape < 1) return rng.gamma(shape, 1);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = rng.normal(), root = 1 + c * x, v = root * root * root;
      if (v <= 0) continue;
      if (std::log(rng.uniform()) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
    }
  }

  /// Of PG(1, z): tanh(z / 2) / 2z, and (sinh(z) - z) / (4 z^3 cosh(z / 2)^2), of which
  /// sinh(z) / cosh(z / 2)^2 = 2 tanh(z / 2).
  double mean_of_one() const {
    return z_ < 1e-3 ? 0.25 - z_ * z_ / 48 : std::tanh(0.5 * z_) / (2 * z_);
  }
  double variance_of_one() const {
    if (z_ < 0.05) return 1.0 / 24 - z_ * z_ / 120 + 17 * z_ * z_ * z_ * z_ / 13440;
    const double cosh = std::cosh(std::min(0.5 * z_, 300.0));
    return (2 * std::tanh(0.5 * z_) - z_ / (cosh * cosh)) / (4 * z_ * z_ * z_);
  }

  double b_, z_;
};

}  // namespace buffet
