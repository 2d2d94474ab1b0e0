#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "rng.h"

namespace buffet {

/// The probability that PolyaGamma proposes from its exponential part, tabulated at z / 2 = 0,
/// 1/64, ..., 32.
class PolyaGammaShares {
 public:
  static constexpr double cut = 0.64, last = 32;

  PolyaGammaShares() {
    for (int n = -1; n <= last * per_unit + 2; ++n) values_.push_back(exact(double(n) / per_unit));
  }

  /// Cubic interpolation, accurate to about 1e-8.
  double operator()(double z) const {
    if (z >= last) return exact(z);
    const double at = z * per_unit;
    const int n = static_cast<int>(at);
    const double u = at - n, a = values_[n], b = values_[n + 1], c = values_[n + 2],
                 d = values_[n + 3];
    const double linear = 6 * c - 3 * b - 2 * a - d, square = 3 * (a - 2 * b + c);
    return b + u / 6 * (linear + u * (square + u * (3 * (b - c) + d - a)));
  }

  static double exact(double z) {
    const double k = M_PI * M_PI / 8 + 0.5 * z * z;
    const double right = M_PI / (2 * k) * std::exp(-k * cut);
    return right / (right + 2 * mass_left(z));
  }

 private:
  static constexpr int per_unit = 64;

  /// exp(-z) times the probability that an inverse Gaussian with mean 1/z is below the cut.
  static double mass_left(double z) {
    const double root = std::sqrt(1 / cut);
    return std::exp(-z) * cdf(root * (cut * z - 1)) + std::exp(z + log_cdf(-root * (cut * z + 1)));
  }
  static double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
  /// Also accurate beyond the range of erfc.
  static double log_cdf(double x) {
    if (x > -35) return std::log(cdf(x));
    return -0.5 * x * x - std::log(-x * std::sqrt(2 * M_PI));
  }

  std::vector<double> values_;
};
inline const PolyaGammaShares polya_gamma_shares;

/// A draw from the Polya-Gamma distribution PG(1, z) (Polson, Scott & Windle 2013), by Devroye's
/// alternating series for J*(1, z / 2) / 4: below 0.64 the proposal is an inverse Gaussian, above
/// it an exponential.
class PolyaGamma {
 public:
  explicit PolyaGamma(double z) : z_(0.5 * std::abs(z)), k_(M_PI * M_PI / 8 + 0.5 * z_ * z_) {}

  /// Means for many z.
  static Eigen::ArrayXd means(const Eigen::ArrayXd& z) {
    const Eigen::ArrayXd e = z.exp(), mean = (e - 1) / (2 * z * (e + 1));
    return (z.abs() < 1e-3).select(0.25 - z.square() / 48, mean);
  }

  double draw(Rng& rng) const {
    const double share = polya_gamma_shares(z_);
    for (;;) {
      const double x =
          rng.uniform() < share ? cut - std::log(rng.uniform()) / k_ : inverse_gaussian(rng);
      if (accept(x, rng.uniform())) return 0.25 * x;
    }
  }

  /// True if a proposal is accepted, given a uniform number. Terms of the alternating series for
  /// the density are added until the decision is certain.
  static bool accept(double x, double uniform) {
    double sum = coefficient(0, x);
    const double y = uniform * sum;
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

 private:
  static constexpr double cut = PolyaGammaShares::cut;

  /// An inverse Gaussian with mean 1/z and shape 1, truncated to values below the cut.
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

  static double coefficient(int n, double x) {
    const double h = n + 0.5;
    if (x > cut) return M_PI * h * std::exp(-0.5 * h * h * M_PI * M_PI * x);
    const double r = 2 / (M_PI * x);
    return M_PI * h * r * std::sqrt(r) * std::exp(-2 * h * h / x);
  }

  double z_, k_;
};

/// Polya-Gamma PG(b, z) for any b > 0 (Polson, Scott & Windle 2013, eq. 1): the sum of Gamma(b, 1)
/// / d_k, d_k = 2 pi^2 (k - 1/2)^2 + z^2 / 2, whose terms beyond the first 10 + |z| are replaced by
/// one gamma variable with the same mean and variance. The relative error of the third cumulant is
/// below 1e-7 if |z| is at most 5, and below 2e-5 for any z.
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
  /// Gamma(shape, 1) by Marsaglia & Tsang (2000), which is twice as fast as Rng's if the shape
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

  /// Mean and variance of PG(1, z): tanh(z / 2) / 2z, and (sinh(z) - z) / (4 z^3 cosh(z / 2)^2), in
  /// which sinh(z) / cosh(z / 2)^2 = 2 tanh(z / 2).
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
