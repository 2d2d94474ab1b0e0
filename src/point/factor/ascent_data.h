#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/check.h"
#include "core/features.h"
#include "gaussian_source.h"
#include "likelihood/gaussian_masks.h"

namespace buffet {

/// The data of an ascent: what all its states share.
struct AscentData {
  Source source;
  int columns = 0;
  double total = 0;  ///< sum of squares of the observed entries
  Masks masks;

  AscentData(Source source_, int columns_);
  AscentData(const AscentData&) = delete;

  int rows() const { return source.rows(); }
  double observed() const { return double(rows()) * columns - masks.count_hidden(); }
  double root_mean_square() const { return std::sqrt(total / std::max(observed(), 1.0)); }
};

/// Where an ascent starts.
struct AscentStart {
  Features features;  ///< none: the ascent has starts of its own
  std::uint64_t seed;
  double tau_x, tau_a;  ///< where precisions that are learned start, or NaN
};

}  // namespace buffet
