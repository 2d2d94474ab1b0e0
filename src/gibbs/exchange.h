#pragma once

#include <cmath>
#include <vector>

#include "core/check.h"
#include "core/tally.h"

namespace buffet {

/// An item gains a feature that other items have, and its singletons lose the same weight, or vice
/// versa. Comparisons with items without the feature do not change.
struct ExchangeOwn {
  static constexpr const char* name = "exchange";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    auto& [z, prior, likelihood, rng] = chain;
    thread_local std::vector<int> order;
    Tally tally;
    for (int i = 0; i < z.rows(); ++i) {
      check();
      likelihood.enter(z, i);
      if (!likelihood.has_own()) continue;
      rng.permutation(z.size(), order);  // the order must not depend on the state
      for (int k : order) {
        if (z.is_own(i, k)) continue;
        const double log_odds = z.at(i, k) ? -prior.log_odds(z, i, k) : prior.log_odds(z, i, k);
        const double log_accept = log_odds + likelihood.log_ratio_exchange(k);
        const bool is_accepted = std::log(rng.uniform()) < log_accept;
        tally.add(is_accepted);
        if (!is_accepted) continue;
        z.flip(i, k);
        prior.flipped(z, i, k);
        likelihood.exchange(k);
      }
    }
    return tally;
  }
};

}  // namespace buffet
