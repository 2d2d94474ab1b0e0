#pragma once

#include <cmath>
#include <vector>

#include "core/rng.h"

namespace buffet {

/// Gibbs: the bit is on with its full conditional probability.
struct Draw {
  Rng& rng;
  bool operator()(double log_odds) const { return rng.uniform() < 1 / (1 + std::exp(-log_odds)); }
};

/// Search: the bit takes its more probable value.
struct Best {
  bool operator()(double log_odds) const { return log_odds > 0; }
};

/// Applies a rule to every bit of the entered row i whose feature other rows have too, in an order
/// drawn afresh (a fixed or state-dependent order is not invariant), with the row's own features
/// left on. Returns the number of such features.
template <class Chain, class Rule>
int sweep_shared(int i, Chain& chain, Rule rule) {
  auto& z = chain.z;
  thread_local std::vector<int> order;
  chain.rng.permutation(z.size(), order);
  int shared = 0;
  for (int k : order) {
    if (z.is_own(i, k)) continue;
    ++shared;
    if (rule(chain.prior.log_odds(z, i, k) + chain.likelihood.log_ratio(k)) == z.at(i, k)) continue;
    z.flip(i, k);
    chain.prior.flipped(z, i, k);
    chain.likelihood.flip(k);
  }
  return shared;
}

/// One visit to row i: the features it shares, then how many are its own.
template <class Chain>
void sweep_row(int i, Chain& chain) {
  chain.likelihood.enter(chain.z, i);
  const int shared = sweep_shared(i, chain, Draw{chain.rng});
  const auto log_own_ratio = [&](int j) { return chain.prior.log_own_ratio(i, shared, j); };
  chain.likelihood.leave(chain.z, chain.likelihood.draw_own(log_own_ratio, chain.rng));
  chain.prior.left(chain.z, i, chain.rng);
}

/// One visit to row i where the prior represents features that no row has: every bit, those of
/// features that no other row has with their loadings integrated out.
template <class Chain>
void sweep_represented_row(int i, Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  likelihood.enter(z, i);
  thread_local std::vector<int> order;
  rng.permutation(z.size(), order);
  const Draw draw{rng};
  for (int k : order) {
    const bool own = z.is_own(i, k);
    const double log_ratio = own ? likelihood.log_ratio_own(k) : likelihood.log_ratio(k);
    if (draw(prior.log_odds(z, i, k) + log_ratio) == z.at(i, k)) continue;
    if (own && !z.at(i, k)) likelihood.draw_loading(k, rng);
    z.flip(i, k);
    likelihood.flip(k);
  }
}

}  // namespace buffet
