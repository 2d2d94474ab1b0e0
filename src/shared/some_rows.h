#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/features.h"
#include "likelihood/gaussian_rows.h"

namespace buffet {

/// Some of all rows, by which a start is searched.
struct SomeRows {
  std::vector<int> rows;
  GaussianData x;

  /// At most so many, evenly spread.
  static std::shared_ptr<const SomeRows> of(const GaussianRows& data, int most) {
    const int count = std::min(most, data.rows());
    std::vector<int> rows;
    for (int n = 0; n < count; ++n)
      rows.push_back(static_cast<int>((2 * long{n} + 1) * data.rows() / (2 * long{count})));
    return std::make_shared<const SomeRows>(SomeRows{rows, some_rows(data, rows)});
  }
};

}  // namespace buffet
