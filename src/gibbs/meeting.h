#pragma once

#include <cmath>
#include <vector>

#include "any_run.h"

namespace buffet {

/// Chains meet: those whose log joint is more than two standard deviations below that of the best
/// go on from where the best one stands. numbers: those of the chains in the whole run.
inline void meet(const std::vector<AnyRun*>& runs, const std::vector<int>& numbers) {
  std::size_t best = 0;
  double variance = 0;
  for (std::size_t c = 0; c < runs.size(); ++c) {
    if (runs[c]->level().mean() > runs[best]->level().mean()) best = c;
    variance += runs[c]->level().variance() / double(runs.size());
  }
  // A chain that has met forgets its level.
  const double least = runs[best]->level().mean() - 2 * std::sqrt(variance);
  for (std::size_t c = 0; c < runs.size(); ++c) {
    const std::size_t from = runs[c]->level().mean() < least ? best : c;
    runs[c]->meet(*runs[from], numbers[from]);
  }
}

}  // namespace buffet
