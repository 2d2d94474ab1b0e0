#pragma once

#include <cmath>
#include <vector>

#include "core/bits.h"
#include "core/rng.h"

namespace buffet {

/// A random part of a column, neither empty nor all of it: in half of the draws one row or all rows
/// but one, otherwise any part.
inline Bits draw_part(const Bits& column, Rng& rng) {
  std::vector<int> rows;
  column.for_each([&](int i) { rows.push_back(i); });
  const int m = static_cast<int>(rows.size());
  const bool any = rng.bernoulli(0.5), all_but_one = rng.bernoulli(0.5);
  const int one = rng.below(m);
  for (;;) {
    Bits part = column;
    for (int n = 0; n < m; ++n)
      if (any ? rng.bernoulli(0.5) : (n == one) == all_but_one) part.flip(rows[n]);
    const int count = part.count();
    if (0 < count && count < m) return part;
  }
}

/// Log probability that `draw_part` draws a given part, so many of m rows.
inline double log_prob_of_part(int count, int m) {
  const bool alone = count == 1, rest = count == m - 1;
  return std::log(0.25 / m * (alone + rest) + 0.5 / (std::exp2(m) - 2));
}

}  // namespace buffet
