#pragma once

#include <cmath>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"

namespace buffet {

/// Gibbs: the bit is on with its full conditional probability.
struct Draw {
  Rng& rng;
  bool operator()(double log_odds) const { return rng.uniform() < 1 / (1 + std::exp(-log_odds)); }
};

/// One visit to row i: every feature that other rows have, in an order drawn afresh (a fixed or
/// state-dependent order is not invariant), with the row's own features left on; then how many
/// features are the row's own.
template <class Prior, class Likelihood>
void sweep_row(int i, Features& z, const Prior& prior, Likelihood& likelihood, Rng& rng,
               std::vector<int>& order) {
  likelihood.enter(z, i);
  rng.permutation(z.size(), order);
  const Draw rule{rng};
  int shared = 0;
  for (int k : order) {
    if (z.is_own(i, k)) continue;
    ++shared;
    if (rule(prior.log_odds(z, i, k) + likelihood.log_ratio(k)) == z.at(i, k)) continue;
    z.flip(i, k);
    likelihood.flip(k);
  }
  const auto log_own_ratio = [&](int j) { return prior.log_own_ratio(shared, j); };
  likelihood.leave(z, likelihood.draw_own(log_own_ratio, rng));
}

}  // namespace buffet
