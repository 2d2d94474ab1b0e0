#pragma once

#include "core/rng.h"

namespace buffet {

struct NormalLaw {
  double mean = 0, precision = 1;

  /// Log density of `count` values with this sum and sum of squares.
  double log_density(double count, double sum, double squares) const;
};

/// A prior for the parameters of a normal distribution: precision ~ Gamma(shape, rate), mean ~
/// N(center, 1 / (weight precision)).
struct NormalGamma {
  double center = 0, weight = 1, shape = 1, rate = 1;

  /// A draw from the posterior given `count` values with this sum and sum of squares.
  NormalLaw draw(double count, double sum, double squares, Rng& rng) const;

  double log_density(const NormalLaw& law) const;
};

}  // namespace buffet
