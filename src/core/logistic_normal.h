#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "log_sum.h"
#include "rng.h"

namespace buffet {

inline double sigmoid(double t) {
  if (t >= 0) return 1 / (1 + std::exp(-t));
  const double e = std::exp(t);
  return e / (1 + e);
}

/// log of sigmoid(t).
inline double log_sigmoid(double t) {
  return -softplus(-t);
}

/// Evidence and posterior of x + v if v ~ N(0, variance) and the observation has probability
/// sigmoid(x + v). The posterior is log-concave, with curvature at least 1 / variance.
class LogisticNormal {
 public:
  LogisticNormal(double x, double variance) : x_(x), variance_(variance), mode_(x + find_root()) {}

  /// Mode of the posterior of x + v.
  double mode() const { return mode_; }

  /// Log of the mean of sigmoid(x + v), by the trapezoidal rule. Its error is about exp(-4 pi^2)
  /// with steps of half a standard deviation or half a unit, whichever is smaller.
  double log_mean() const {
    // In sigmoid(t) = exp(t) sigmoid(-t), the first factor shifts the normal.
    if (x_ < -0.5 * variance_)
      return x_ + 0.5 * variance_ + LogisticNormal(-x_ - variance_, variance_).log_mean();
    const double sd = std::sqrt(variance_), step = 0.5 * std::min(1.0, sd);
    const int reach = static_cast<int>(std::ceil(9 * sd / step));
    const double v = mode_ - x_, highest = 1 + std::exp(-mode_);
    double sum = 0;
    for (int n = -reach; n <= reach; ++n) {
      const double by = n * step;
      sum += std::exp(-by * (by + 2 * v) / (2 * variance_)) * highest / (1 + std::exp(-mode_ - by));
    }
    return log_sigmoid(mode_) - 0.5 * v * v / variance_ +
           std::log(sum * step / std::sqrt(2 * M_PI * variance_));
  }

  /// A draw of x + v from the posterior, by rejection. The proposal is normal: the prior times the
  /// exponential of the tangent to log sigmoid at the mode.
  double draw(Rng& rng) const {
    const double slope = sigmoid(-mode_), at_mode = log_sigmoid(mode_), sd = std::sqrt(variance_);
    for (;;) {
      const double t = mode_ + sd * rng.normal();
      if (std::log(rng.uniform()) < log_sigmoid(t) - at_mode - slope * (t - mode_)) return t;
    }
  }

 private:
  /// The root of v = variance sigmoid(-(x + v)), by Newton's method with bracketing.
  double find_root() const {
    double low = 0, high = variance_, v = std::min(high, std::max(0.0, -x_));
    for (int n = 0; n < 100; ++n) {
      const double p = sigmoid(-(x_ + v)), f = v - variance_ * p;
      (f < 0 ? low : high) = v;
      double next = v - f / (1 + variance_ * p * (1 - p));
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (std::abs(next - v) <= 1e-13 * (1 + std::abs(v))) return next;
      v = next;
    }
    return v;
  }

  double x_, variance_, mode_;
};

/// log_mean() for one variance, as a table over x with cubic interpolation; entries are computed on
/// first use. To the left of the table, sigmoid(t) = exp(t) sigmoid(-t) is used.
class LogisticNormalTable {
 public:
  explicit LogisticNormalTable(double variance) : variance_(variance) {
    const double sd = std::sqrt(variance);
    step_ = std::max(1.0, sd) / 16;
    first_ = -0.5 * variance - 2 * step_;
    last_ = 9 * sd + 40;
    per_step_ = 1 / step_;
    values_.assign(static_cast<std::size_t>((last_ - first_) / step_) + 4,
                   std::numeric_limits<double>::quiet_NaN());
  }

  double variance() const { return variance_; }

  double operator()(double x) {
    if (x >= last_) return 0;
    if (x < -0.5 * variance_) return x + 0.5 * variance_ + (*this)(-x - variance_);
    const double at = (x - first_) * per_step_;
    const int n = static_cast<int>(at);
    const double u = at - n, a = value(n - 1), b = value(n), c = value(n + 1), d = value(n + 2);
    const double linear = 6 * c - 3 * b - 2 * a - d, square = 3 * (a - 2 * b + c);
    return b + u / 6 * (linear + u * (square + u * (3 * (b - c) + d - a)));
  }

 private:
  double value(int n) {
    double& v = values_[n];
    if (std::isnan(v)) v = LogisticNormal(first_ + n * step_, variance_).log_mean();
    return v;
  }

  double variance_, step_, per_step_, first_, last_;
  std::vector<double> values_;
};

}  // namespace buffet
