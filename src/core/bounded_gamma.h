#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rng.h"
#include "slice.h"

namespace buffet {

/// Gamma(shape, rate) within [least, most]: of a precision, given what it is the precision of.
struct BoundedGamma {
  double shape, rate, least, most;

  /// By rejection where that is mostly in the range, else by a slice from where it is.
  double draw(double from, Rng& rng) const {
    for (int n = 0; n < 20; ++n)
      if (const double value = rng.gamma(shape, rate); value >= least && value <= most)
        return value;
    const auto log_density = [&](double y) {
      const double value = std::exp(y);
      const bool inside = value >= least && value <= most;
      return inside ? shape * y - rate * value : -std::numeric_limits<double>::infinity();
    };
    return std::exp(slice_sample(std::log(std::clamp(from, least, most)), log_density, 1.0, rng));
  }
};

}  // namespace buffet
