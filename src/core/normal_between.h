#pragma once

#include <cmath>

#include "log_sum.h"
#include "rng.h"
#include "truncated_normal.h"

namespace buffet {

/// log of Phi(b) - Phi(a), a < b; both may be infinite.
inline double log_normal_between(double a, double b) {
  if (a > 0) return log_normal_between(-b, -a);
  if (std::isinf(a)) return std::isinf(b) ? 0 : quick_log_normal_cdf(b);
  if (b > 0)
    return std::log1p(-std::exp(quick_log_normal_cdf(a)) - std::exp(quick_log_normal_cdf(-b)));
  const double upper = quick_log_normal_cdf(b);
  return upper + std::log1p(-std::exp(quick_log_normal_cdf(a) - upper));
}

/// log of a product of differences Phi(b) - Phi(a), with few calls to log(). Differences of at
/// least 1e-3 come from the table, which is then accurate to 1e-8.
class LogNormalBetween {
 public:
  void add(double a, double b) {
    const double mass = quick_normal_cdf(b) - quick_normal_cdf(a);
    if (mass < 1e-3) {
      sum_ += log_normal_between(a, b);
      return;
    }
    product_ *= mass;
    if (product_ > 1e-200) return;
    sum_ += std::log(product_);
    product_ = 1;
  }
  double log() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0, product_ = 1;
};

/// A draw from N(0, 1) truncated to (a, b): by rejection from the normal if acceptance is likely,
/// from an exponential in a tail (Robert 1995), and otherwise from a uniform.
inline double draw_normal_between(double a, double b, Rng& rng) {
  if (b <= 0) return -draw_normal_between(-b, -a, rng);
  if (a <= 0 && b - a > 1.5) {
    for (;;)
      if (const double draw = rng.normal(); draw > a && draw < b) return draw;
  }
  check_bound(a);
  check_bound(b);
  if (a > tail_end) return a;
  const double rate = 0.5 * (a + std::sqrt(a * a + 4));
  if (a > 0 && (b - a) * rate > 1) {
    for (;;) {
      const double over = -std::log(rng.uniform()) / rate, gap = a + over - rate;
      if (a + over < b && std::log(rng.uniform()) <= -0.5 * gap * gap) return a + over;
    }
  }
  const double nearest = a > 0 ? a : 0;
  for (;;) {
    const double draw = a + (b - a) * rng.uniform();
    if (std::log(rng.uniform()) <= 0.5 * (nearest * nearest - draw * draw)) return draw;
  }
}

/// Density at t of N(0, 1) truncated to an interval with this log mass; 0 if t is infinite.
inline double density_between(double t, double log_mass) {
  return std::isinf(t) ? 0 : std::exp(-0.5 * t * t - log_mass) / std::sqrt(2 * M_PI);
}

/// Mean of N(0, 1) truncated to (a, b).
inline double mean_normal_between(double a, double b) {
  const double log_mass = log_normal_between(a, b);
  return density_between(a, log_mass) - density_between(b, log_mass);
}

}  // namespace buffet
