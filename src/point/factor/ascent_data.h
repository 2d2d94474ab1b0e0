#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"
#include "gaussian_source.h"
#include "likelihood/gaussian_masks.h"

namespace buffet {

/// The data of an ascent: what all its states share.
struct AscentData {
  Source source;
  int columns = 0;
  double total = 0;  ///< sum of squares of the observed entries
  Masks masks;

  AscentData(Source source_, int columns_)
      : source(std::move(source_)), columns(columns_), masks(source.rows(), columns_) {
    source.for_each([&](int, const GaussianData& block) {
      total += block.total();
      masks.add(block);
    });
    masks.finish();
  }
  AscentData(const AscentData&) = delete;

  int rows() const { return source.rows(); }
  double observed() const { return double(rows()) * columns - masks.count_hidden(); }
  double root_mean_square() const { return std::sqrt(total / std::max(observed(), 1.0)); }
};

}  // namespace buffet
