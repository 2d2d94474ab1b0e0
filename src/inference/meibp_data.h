#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "../likelihood/gaussian_masks.h"
#include "../likelihood/gaussian_source.h"
#include "row_search.h"

namespace buffet {

/// Called now and then during long work; may throw, which leaves the state unusable.
using Check = std::function<void()>;

/// What all states of a maximisation share.
struct MeibpData {
  Source source;
  int columns = 0;
  double total = 0;  ///< sum of squares of the observed entries
  Masks masks;

  MeibpData(Source source_, int columns_)
      : source(std::move(source_)), columns(columns_), masks(source.rows(), columns_) {
    source.for_each([&](int, const GaussianData& block) {
      total += block.total();
      masks.add(block);
    });
    masks.finish();
  }
  MeibpData(const MeibpData&) = delete;

  int rows() const { return source.rows(); }
  double observed() const { return double(rows()) * columns - masks.count_hidden(); }
  double root_mean_square() const { return std::sqrt(total / std::max(observed(), 1.0)); }
};

/// How it is done.
struct MeibpPlan {
  int max_features = 20;
  double tol = 1e-7;
  RowRule rule = RowRule::climb;
  int threads = 1;
};

}  // namespace buffet
