#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rng.h"
#include "slice.h"

namespace buffet {

/// Gamma(shape, rate) truncated to [least, most]: the full conditional of a precision.
struct BoundedGamma {
  double shape, rate, least, most;

  /// Draws by rejection if most of the mass is in the range, otherwise by a slice step from `from`.
  double draw(double from, Rng& rng) const {
    for (int n = 0; n < 20; ++n)
      if (const double value = rng.gamma(shape, rate); value >= least && value <= most)
        return value;
    // The range is checked on the log scale: exp(log(most)) may exceed `most`.
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
