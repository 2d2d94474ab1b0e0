#pragma once

#include <cmath>
#include <stdexcept>

#include "cubic_table.h"
#include "rng.h"

namespace buffet {

/// log of the standard normal distribution function, without underflow.
inline double log_normal_cdf(double x) {
  if (x > -6) return std::log(0.5 * std::erfc(-x * M_SQRT1_2));
  // Mills' ratio from Laplace's continued fraction.
  double ratio = -x;
  for (int n = 40; n > 0; --n) ratio = -x + n / ratio;
  return -0.5 * x * x - 0.5 * std::log(2 * M_PI) - std::log(ratio);
}

/// phi(t) / Phi(t), log Phi(t) and Phi(t) for t in [-5, 9), accurate to 1e-11: calls to the
/// library's functions would take much of the run time of variational inference and of ordinal
/// columns.
class NormalTable {
 public:
  static constexpr int from = -5, to = 9;
  const CubicTable hazard{from, to, exact_hazard, slope},
      log_cdf{from, to, exact_log_cdf, exact_hazard}, cdf{from, to, exact_cdf, density};

 private:
  static double exact_cdf(double t) { return 0.5 * std::erfc(-t * M_SQRT1_2); }
  static double density(double t) { return std::exp(-0.5 * t * t) * 0.5 * M_2_SQRTPI * M_SQRT1_2; }
  static double exact_log_cdf(double t) { return std::log(exact_cdf(t)); }
  static double exact_hazard(double t) { return density(t) / exact_cdf(t); }
  static double slope(double t) { return -exact_hazard(t) * (t + exact_hazard(t)); }
};

inline const NormalTable normal_table{};

/// log_normal_cdf(), accurate to 1e-11, from the table if x is within it.
inline double quick_log_normal_cdf(double x) {
  if (x >= NormalTable::to) return 0;
  return x >= NormalTable::from ? normal_table.log_cdf(x) : log_normal_cdf(x);
}

/// The standard normal distribution function: 0 below the table, otherwise accurate to 1e-11.
inline double quick_normal_cdf(double x) {
  if (x >= NormalTable::to) return 1;
  return x >= NormalTable::from ? normal_table.cdf(x) : 0;
}

/// N(location, scale^2) truncated to [0, inf), in terms of t = location / scale. If t is far below
/// 0, the moments are differences of nearly equal numbers, and are computed from Laplace's
/// continued fraction c = 2/(x + 3/(x + ...)), x = -t, and h = 1/(x + c).
class NonnegativeNormal {
 public:
  /// The log of the factor by which truncation raises the density of a normal centred on 0.
  static constexpr double log_folded = M_LN2;

  NonnegativeNormal(double location, double scale) : scale_(scale), t_(location / scale) {
    if (t_ >= NormalTable::to) {  // truncation has no effect beyond rounding
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
  double mean_, variance_;  ///< mean and variance in units of the scale
  double hazard_ = 0;       ///< phi(t) / Phi(t)
};

/// N(location, scale^2), not truncated.
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

/// Beyond this, draws from a tail equal its end point up to rounding, and its square overflows.
constexpr double tail_end = 1e150;

/// Beyond the bound, the sampler below would never accept a draw.
inline void check_bound(double bound) {
  if (std::isnan(bound))
    throw std::domain_error("the ends of a truncated normal distribution are no numbers.");
}

/// A draw of N(mean, sd^2) truncated to [0, inf): by rejection from the normal if acceptance is
/// likely, otherwise from an exponential (Robert 1995).
inline double draw_nonnegative_normal(double mean, double sd, Rng& rng) {
  const double lower = -mean / sd;
  if (lower < 0.45) {
    for (;;)
      if (const double draw = rng.normal(); draw >= lower) return mean + sd * draw;
  }
  check_bound(lower);
  if (lower > tail_end) return 0;
  const double rate = 0.5 * (lower + std::sqrt(lower * lower + 4));
  for (;;) {
    const double over = -std::log(rng.uniform()) / rate, gap = lower + over - rate;
    if (std::log(rng.uniform()) <= -0.5 * gap * gap) return sd * over;
  }
}

}  // namespace buffet
