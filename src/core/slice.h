#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>

#include "rng.h"

namespace buffet {

/// An interval around a point, and the level that the log density of the next point must exceed.
struct Slice {
  double level, left, right;
};

/// Throws an error unless there is a slice: a log density may be NaN, or an interval unbounded.
inline void require_number(bool is_one) {
  if (!is_one)
    throw std::domain_error(
        "A log density is not a number: the data, a hyperparameter or a prior is beyond what "
        "double "
        "precision holds.");
}

/// A point uniform on the part of an interval around x where the log density is above a level, by
/// shrinkage (Neal 2003, figure 5).
template <class LogDensity>
double shrink(double x, LogDensity log_density, Slice slice, Rng& rng) {
  auto& [level, left, right] = slice;
  require_number(!std::isnan(level) && std::isfinite(right - left));
  for (;;) {
    const double proposal = left + (right - left) * rng.uniform();
    if (log_density(proposal) > level) return proposal;
    if (right - left <= 1e-12 * (1 + std::abs(x))) return x;
    (proposal < x ? left : right) = proposal;
  }
}

/// One step of univariate slice sampling with stepping out and shrinkage (Neal 2003, figures 3 and
/// 5) from x under an unnormalised log density that tends to -Inf at the ends of its support.
template <class LogDensity>
double slice_sample(double x, LogDensity log_density, double width, Rng& rng) {
  constexpr int most_steps = 1000000;
  const double level = log_density(x) + std::log(rng.uniform());
  double left = x - width * rng.uniform();
  double right = left + width;
  int steps = 0;
  for (; log_density(left) > level; left -= width) require_number(++steps < most_steps);
  for (; log_density(right) > level; right += width) require_number(++steps < most_steps);
  return shrink(x, log_density, {level, left, right}, rng);
}

/// One step of slice sampling within an interval of fixed width, placed at random around x.
template <class LogDensity>
double slice_within(double x, LogDensity log_density, double width, Rng& rng) {
  const double level = log_density(x) + std::log(rng.uniform());
  const double left = x - width * rng.uniform();
  return shrink(x, log_density, {level, left, left + width}, rng);
}

/// Step size of a slice step for a logarithm, and the largest absolute value of the logarithm.
struct LogSlice {
  double width, most;
};

/// Slice sampling of the logarithm of a positive number. `log_density` is the density of the
/// logarithm, as a function of the number.
template <class LogDensity>
double slice_positive(double x, LogDensity log_density, LogSlice slice, Rng& rng) {
  const auto of_log = [&](double log_x) {
    if (std::abs(log_x) > slice.most) return -std::numeric_limits<double>::infinity();
    return log_density(std::exp(log_x));
  };
  return std::exp(slice_sample(std::log(x), of_log, slice.width, rng));
}

}  // namespace buffet
