#pragma once

#include <cmath>
#include <vector>

#include "rng.h"

namespace buffet {

/// log of the standard normal distribution function, without underflow.
inline double log_normal_cdf(double x) {
  if (x > -6) return std::log(0.5 * std::erfc(-x * M_SQRT1_2));
  // Mills' ratio as Laplace's continued fraction.
  double ratio = -x;
  for (int n = 40; n > 0; --n) ratio = -x + n / ratio;
  return -0.5 * x * x - 0.5 * std::log(2 * M_PI) - std::log(ratio);
}

/// phi(t) / Phi(t) and log Phi(t) for t in [-5, 9) by cubic interpolation from exact values and
/// slopes, to 1e-11: ten times as fast as erfc() and exp(), on which much of the work of
/// variational inference would be spent.
class NormalTable {
 public:
  static constexpr double from = -5, to = 9;

  NormalTable() {
    hazard_.reserve(intervals);
    log_cdf_.reserve(intervals);
    Node left(from);
    for (int n = 1; n <= intervals; ++n) {
      const Node right(from + double(n) / per_unit);
      hazard_.push_back(cubic(left.hazard, left.slope, right.hazard, right.slope));
      log_cdf_.push_back(cubic(left.log_cdf, left.hazard, right.log_cdf, right.hazard));
      left = right;
    }
  }

  double hazard(double t) const { return value(hazard_, t); }
  double log_cdf(double t) const { return value(log_cdf_, t); }

 private:
  static constexpr int per_unit = 128, intervals = static_cast<int>(to - from) * per_unit;
  struct Cubic {
    double c0, c1, c2, c3;
  };
  struct Node {
    double hazard, log_cdf, slope;
    explicit Node(double t) {
      const double cdf = 0.5 * std::erfc(-t * M_SQRT1_2);
      hazard = std::exp(-0.5 * t * t) * 0.5 * M_2_SQRTPI * M_SQRT1_2 / cdf;
      log_cdf = std::log(cdf);
      slope = -hazard * (t + hazard);
    }
  };

  /// With these values and slopes at the ends of an interval.
  static Cubic cubic(double left, double left_slope, double right, double right_slope) {
    const double rise = right - left, a = left_slope / per_unit, b = right_slope / per_unit;
    return {left, a, 3 * rise - 2 * a - b, a + b - 2 * rise};
  }

  static double value(const std::vector<Cubic>& cubics, double t) {
    const double at = (t - from) * per_unit;
    const int n = static_cast<int>(at);
    const double u = at - n;
    const Cubic& c = cubics[n];
    return c.c0 + u * (c.c1 + u * (c.c2 + u * c.c3));
  }

  std::vector<Cubic> hazard_, log_cdf_;
};

inline const NormalTable normal_table;

/// log_normal_cdf() to 1e-11, by the table where it reaches.
inline double quick_log_normal_cdf(double x) {
  if (x >= NormalTable::to) return 0;
  return x >= NormalTable::from ? normal_table.log_cdf(x) : log_normal_cdf(x);
}

/// N(location, scale^2) truncated to [0, inf), by t = location / scale. Far below 0 its moments are
/// differences of numbers that are nearly equal; there they come from Laplace's continued fraction
/// c = 2/(x + 3/(x + ...)), x = -t, and h = 1/(x + c).
class NonnegativeNormal {
 public:
  /// Log of how much denser a normal around 0 becomes by the truncation.
  static constexpr double log_folded = M_LN2;

  NonnegativeNormal(double location, double scale) : scale_(scale), t_(location / scale) {
    if (t_ >= NormalTable::to) {  // the truncation is beyond rounding
      mean_ = t_;
      variance_ = 1;
    } else if (t_ >= NormalTable::from) {
      hazard_ = normal_table.hazard(t_);
      mean_ = t_ + hazard_;
      variance_ = 1 - hazard_ * mean_;
    } else {
      const double x = -t_, c = continued_fraction(x);
      mean_ = 1 / (x + c);
      hazard_ = x + mean_;
      variance_ = mean_ * (c - mean_);
    }
  }

  double mean() const { return scale_ * mean_; }
  double variance() const { return scale_ * scale_ * variance_; }
  /// Reed & Ghahramani (2013) eq. 26, whose last sign is a misprint.
  double entropy() const {
    if (t_ >= NormalTable::from) {
      const double log_cdf = quick_log_normal_cdf(t_);
      return std::log(scale_) + 0.5 * std::log(2 * M_PI * M_E) + log_cdf - 0.5 * t_ * hazard_;
    }
    return std::log(scale_) - std::log(hazard_) - mean_ * t_ + 0.5 * (mean_ * mean_ + variance_);
  }

 private:
  static double continued_fraction(double x) {
    double ratio = x;
    for (int n = x > 50 ? 8 : x > 12 ? 20 : 60; n > 1; --n) ratio = x + n / ratio;
    return ratio - x;
  }

  double scale_, t_;
  double mean_, variance_;  ///< of the variable in units of its scale
  double hazard_ = 0;       ///< phi(t) / Phi(t)
};

/// N(location, scale^2) itself.
class UntruncatedNormal {
 public:
  static constexpr double log_folded = 0;

  UntruncatedNormal(double location, double scale) : location_(location), scale_(scale) {}

  double mean() const { return location_; }
  double variance() const { return scale_ * scale_; }
  double entropy() const { return std::log(scale_) + 0.5 * std::log(2 * M_PI * M_E); }

 private:
  double location_, scale_;
};

/// A draw of N(mean, sd^2) truncated to [0, inf): from the normal where that succeeds often enough,
/// else from an exponential (Robert 1995).
inline double draw_nonnegative_normal(double mean, double sd, Rng& rng) {
  const double lower = -mean / sd;
  if (lower < 0.45) {
    for (;;)
      if (const double draw = rng.normal(); draw >= lower) return mean + sd * draw;
  }
  const double rate = 0.5 * (lower + std::sqrt(lower * lower + 4));
  for (;;) {
    const double over = -std::log(rng.uniform()) / rate, gap = lower + over - rate;
    if (std::log(rng.uniform()) <= -0.5 * gap * gap) return sd * over;
  }
}

}  // namespace buffet
