#pragma once

#include <cmath>

#include "rng.h"

namespace buffet {

/// A Polya-Gamma PG(1, z) draw (Polson, Scott & Windle 2013), by Devroye's alternating series on
/// J*(1, z / 2) / 4: below 0.64 the proposal is an inverse Gaussian, above it an exponential.
class PolyaGamma {
 public:
  explicit PolyaGamma(double z) : z_(0.5 * std::abs(z)), k_(M_PI * M_PI / 8 + 0.5 * z_ * z_) {}

  static double mean(double z) {
    return std::abs(z) < 1e-3 ? 0.25 - z * z / 48 : std::tanh(0.5 * z) / (2 * z);
  }

  double draw(Rng& rng) const {
    const double right = M_PI / (2 * k_) * std::exp(-k_ * cut), left = 2 * mass_left();
    for (;;) {
      const double x = rng.uniform() * (left + right) < right ? cut - std::log(rng.uniform()) / k_
                                                              : inverse_gaussian(rng);
      if (accept(x, rng)) return 0.25 * x;
    }
  }

 private:
  static constexpr double cut = 0.64;

  /// exp(-z) times the probability that an inverse Gaussian with mean 1/z is below the cut.
  double mass_left() const {
    const double root = std::sqrt(1 / cut);
    return std::exp(-z_) * cdf(root * (cut * z_ - 1)) +
           std::exp(z_ + log_cdf(-root * (cut * z_ + 1)));
  }
  static double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
  /// exp(z) times this is at most 1: beyond the range of erfc its logarithm.
  static double log_cdf(double x) {
    if (x > -35) return std::log(cdf(x));
    return -0.5 * x * x - std::log(-x * std::sqrt(2 * M_PI));
  }

  /// An inverse Gaussian with mean 1/z and shape 1, below the cut.
  double inverse_gaussian(Rng& rng) const {
    if (z_ * cut < 1) {
      for (;;) {
        double e, f;
        do {
          e = -std::log(rng.uniform());
          f = -std::log(rng.uniform());
        } while (e * e > 2 * f / cut);
        const double x = cut / ((1 + cut * e) * (1 + cut * e));
        if (std::log(rng.uniform()) < -0.5 * z_ * z_ * x) return x;
      }
    }
    const double mean = 1 / z_;
    for (;;) {
      const double n = rng.normal(), y = n * n;
      double x =
          mean + 0.5 * mean * mean * y - 0.5 * mean * std::sqrt(4 * mean * y + mean * mean * y * y);
      if (rng.uniform() > mean / (mean + x)) x = mean * mean / x;
      if (x < cut) return x;
    }
  }

  /// The alternating series of the density decides after a few terms.
  static bool accept(double x, Rng& rng) {
    double sum = coefficient(0, x);
    const double y = rng.uniform() * sum;
    for (int n = 1;; ++n) {
      if (n % 2 == 1) {
        sum -= coefficient(n, x);
        if (y <= sum) return true;
      } else {
        sum += coefficient(n, x);
        if (y > sum) return false;
      }
    }
  }
  static double coefficient(int n, double x) {
    const double h = n + 0.5;
    if (x > cut) return M_PI * h * std::exp(-0.5 * h * h * M_PI * M_PI * x);
    const double r = 2 / (M_PI * x);
    return M_PI * h * r * std::sqrt(r) * std::exp(-2 * h * h / x);
  }

  double z_, k_;
};

}  // namespace buffet
