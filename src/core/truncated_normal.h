#pragma once

#include <cmath>

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
