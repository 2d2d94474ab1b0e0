#pragma once

#include <cmath>

#include "core/rng.h"
#include "core/special.h"

namespace buffet {

struct NormalLaw {
  double mean = 0, precision = 1;

  /// Log density of so many values with this sum and this sum of squares.
  double log_density(double count, double sum, double squares) const {
    const double around = squares - 2 * mean * sum + count * mean * mean;
    return 0.5 * (count * std::log(precision / (2 * M_PI)) - precision * around);
  }
};

/// A prior of such a law: precision ~ Gamma(shape, rate), mean ~ N(center, 1 / (weight precision)).
struct NormalGamma {
  double center = 0, weight = 1, shape = 1, rate = 1;

  /// Given so many values with this sum and this sum of squares.
  NormalLaw draw(double count, double sum, double squares, Rng& rng) const {
    const double total = weight + count;
    const double mean = (weight * center + sum) / total;
    const double around =
        squares - 2 * mean * sum + count * mean * mean + weight * std::pow(center - mean, 2);
    const double precision = rng.gamma(shape + 0.5 * count, rate + 0.5 * std::max(0.0, around));
    return {mean + rng.normal() / std::sqrt(total * precision), precision};
  }

  double log_density(const NormalLaw& law) const {
    return shape * std::log(rate) - log_gamma(shape) + (shape - 1) * std::log(law.precision) -
           rate * law.precision +
           NormalLaw{center, weight * law.precision}.log_density(1, law.mean, law.mean * law.mean);
  }
};

}  // namespace buffet
