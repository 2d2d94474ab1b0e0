#pragma once

#include <testthat/vendor/catch.h>

#include <algorithm>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "core/tally.h"

namespace test {

inline std::vector<buffet::Bits> sorted_columns(const buffet::Features& z) {
  std::vector<buffet::Bits> columns;
  for (int k = 0; k < z.size(); ++k) columns.push_back(z.column(k));
  std::sort(columns.begin(), columns.end());
  return columns;
}

/// Checks that the features are unchanged if no attempt was accepted, and have changed after a
/// single accepted attempt.
template <class Move, class C>
void check_tally(C& chain) {
  INFO(Move::name);
  int none = 0, one = 0;
  for (int n = 0; n < 400; ++n) {
    chain.sweep();
    const auto before = sorted_columns(chain.z);
    const buffet::Tally tally = Move::run(chain, buffet::no_check);
    CHECK(tally.accepted <= tally.tried);
    if (tally.accepted > 1) continue;
    ++(tally.accepted == 0 ? none : one);
    CHECK((sorted_columns(chain.z) == before) == (tally.accepted == 0));
  }
  CHECK(none > 0);
  CHECK(one > 0);
}

}  // namespace test
