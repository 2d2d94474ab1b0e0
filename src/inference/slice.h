#pragma once

#include <cmath>

#include "../core/rng.h"

namespace buffet {

/// One step of univariate slice sampling with stepping out and shrinkage (Neal 2003, figures 3
/// and 5) from x under an unnormalised log density that falls to -Inf at the ends of its support.
template <class LogDensity>
double slice_sample(double x, LogDensity log_density, double width, Rng& rng) {
  const double level = log_density(x) + std::log(rng.uniform());
  double left = x - width * rng.uniform();
  double right = left + width;
  while (log_density(left) > level) left -= width;
  while (log_density(right) > level) right += width;
  for (;;) {
    const double proposal = left + (right - left) * rng.uniform();
    if (log_density(proposal) > level) return proposal;
    if (right - left <= 1e-12 * (1 + std::abs(x))) return x;
    (proposal < x ? left : right) = proposal;
  }
}

}  // namespace buffet
