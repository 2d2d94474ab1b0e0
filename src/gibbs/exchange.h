#pragma once

#include <cmath>
#include <vector>

#include "core/check.h"

namespace buffet {

/// Items gain a feature that others have and lose as much weight of their own, or the other way
/// round: against items without the feature nothing changes.
template <class Chain>
void exchange_own(Chain& chain, const Check& check = no_check) {
  auto& [z, prior, likelihood, rng] = chain;
  thread_local std::vector<int> order;
  for (int i = 0; i < z.rows(); ++i) {
    check();
    likelihood.enter(z, i);
    if (!likelihood.has_own()) continue;
    rng.permutation(z.size(), order);  // a state-dependent order is not invariant
    for (int k : order) {
      if (z.is_own(i, k)) continue;
      const double log_odds = z.at(i, k) ? -prior.log_odds(z, i, k) : prior.log_odds(z, i, k);
      if (!(std::log(rng.uniform()) < log_odds + likelihood.log_ratio_exchange(k))) continue;
      z.flip(i, k);
      prior.flipped(z, i, k);
      likelihood.exchange(k);
    }
  }
}

}  // namespace buffet
