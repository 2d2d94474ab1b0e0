#pragma once

#include <array>
#include <cmath>

#include "rng.h"

namespace buffet {

/// Polya-Gamma PG(b, z) for any b > 0 (Polson, Scott & Windle 2013, eq. 1): a sum of
/// Gamma(b, 1) / d_k, d_k = 2 pi^2 (k - 1/2)^2 + z^2 / 2, whose terms beyond the first are one gamma
/// variable of the same mean and variance: its third cumulant is off by less than 1e-8 of the whole.
class PolyaGammaSum {
 public:
  PolyaGammaSum(double b, double z) : b_(b), half_square_(0.5 * z * z), z_(std::abs(z)) {}

  double mean() const { return b_ * mean_of_one(); }
  double variance() const { return b_ * variance_of_one(); }

  double draw(Rng& rng) const {
    double sum = 0, mean = mean_of_one(), variance = variance_of_one();
    for (int k = 0; k < terms; ++k) {
      const double weight = 1 / (rates[k] + half_square_);
      sum += weight * rng.gamma(b_, 1);
      mean -= weight;
      variance -= weight * weight;
    }
    return sum + rng.gamma(b_ * mean * mean / variance, mean / variance);
  }

 private:
  static constexpr int terms = 24;
  inline static const std::array<double, terms> rates = [] {
    std::array<double, terms> all;
    for (int k = 0; k < terms; ++k) all[k] = 2 * M_PI * M_PI * (k + 0.5) * (k + 0.5);
    return all;
  }();

  /// Of PG(1, z): tanh(z / 2) / 2z, and (sinh(z) - z) / (4 z^3 cosh(z / 2)^2).
  double mean_of_one() const {
    return z_ < 1e-3 ? 0.25 - z_ * z_ / 48 : std::tanh(0.5 * z_) / (2 * z_);
  }
  double variance_of_one() const {
    if (z_ < 0.05) return 1.0 / 24 - z_ * z_ / 120 + 17 * z_ * z_ * z_ * z_ / 13440;
    // 2 sinh(z) / cosh(z / 2)^2 = 4 tanh(z / 2).
    const double cosh = std::cosh(std::min(0.5 * z_, 300.0));
    return (2 * std::tanh(0.5 * z_) - z_ / (cosh * cosh)) / (4 * z_ * z_ * z_);
  }

  double b_, half_square_, z_;
};

}  // namespace buffet
