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
    // The range applies to the logarithm: exp(log(most)) may be above `most`.
    const double low = std::log(least), high = std::log(most);
    const auto log_density = [&](double y) {
      const bool inside = y >= low && y <= high;
      return inside ? shape * y - rate * std::exp(y) : -std::numeric_limits<double>::infinity();
    };
    const double at = std::clamp(std::log(from), low, high);
    return std::clamp(std::exp(slice_sample(at, log_density, 1.0, rng)), least, most);
  }
};

}  // namespace buffet
