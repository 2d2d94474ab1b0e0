#pragma once

#include "core/rng.h"

namespace buffet {

struct NormalLaw {
  double mean = 0, precision = 1;

  /// Log density of this many values with this sum and this sum of squares.
  double log_density(double count, double sum, double squares) const;
};

/// A prior of such a law: precision ~ Gamma(shape, rate), mean ~ N(center, 1 / (weight precision)).
struct NormalGamma {
  double center = 0, weight = 1, shape = 1, rate = 1;

  /// Given this many values with this sum and this sum of squares.
  NormalLaw draw(double count, double sum, double squares, Rng& rng) const;

  double log_density(const NormalLaw& law) const;
};

}  // namespace buffet
