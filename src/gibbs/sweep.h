#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "bit_blocks.h"
#include "core/rng.h"

namespace buffet {

/// Gibbs step: sets the bit with its full conditional probability.
struct Draw {
  Rng& rng;
  bool operator()(double log_odds) const { return rng.uniform() < 1 / (1 + std::exp(-log_odds)); }
};

/// True if a likelihood draws auxiliary variables for every entry.
template <class Likelihood, class = void>
struct DrawsWithBits : std::false_type {};
template <class Likelihood>
struct DrawsWithBits<
    Likelihood, std::void_t<decltype(std::declval<Likelihood&>().flip(0, std::declval<Rng&>()))>>
    : std::true_type {};

/// Notifies a likelihood that a bit of the current row is flipped.
template <class Likelihood>
void flip_of(Likelihood& likelihood, int k, Rng& rng) {
  if constexpr (DrawsWithBits<Likelihood>::value)
    likelihood.flip(k, rng);
  else
    likelihood.flip(k);
}

/// Flips a bit of row i without notifying the likelihood.
template <class Chain>
void flip_unseen(int i, int k, Chain& chain) {
  chain.z.flip(i, k);
  chain.prior.flipped(chain.z, i, k);
}

/// Flips a bit of the current row.
template <class Chain>
void flip(int i, int k, Chain& chain) {
  flip_unseen(i, k, chain);
  flip_of(chain.likelihood, k, chain.rng);
}

template <class Chain>
void draw_bit(int i, int k, Chain& chain) {
  const double log_odds = chain.prior.log_odds(chain.z, i, k) + chain.likelihood.log_ratio(k);
  if (Draw{chain.rng}(log_odds) != chain.z.at(i, k)) flip(i, k, chain);
}

template <class Chain>
void draw_block(int i, const BitBlock& block, Chain& chain) {
  if (block.size == 1) return draw_bit(i, block.bits[0], chain);
  std::array<double, Flips::subsets> log_weights;
  weigh_flips(block, i, chain, log_weights.data());
  const int flips = draw_flips(log_weights.data(), 1 << block.size, chain.rng);
  for (int a = 0; a < block.size; ++a)
    if (flips >> a & 1) flip(i, block.bits[a], chain);
}

/// The features that row i shares with others, in a random order drawn each time: with a fixed or
/// state-dependent order, the posterior is not invariant.
template <class Chain>
std::vector<int>& shared_in_order(int i, Chain& chain) {
  thread_local std::vector<int> order;
  chain.rng.permutation(chain.z.size(), order);
  order.erase(
      std::remove_if(order.begin(), order.end(), [&](int k) { return chain.z.is_own(i, k); }),
      order.end());
  return order;
}

/// Draws the bits of the features that the current row i shares with others, leaving its singletons
/// on. Coupled bits are drawn jointly if the likelihood supports it. Returns the number of such
/// features.
template <class Chain>
int sweep_shared(int i, Chain& chain) {
  std::vector<int>& waiting = shared_in_order(i, chain);
  const int shared = static_cast<int>(waiting.size());
  if constexpr (KnowsFlips<std::decay_t<decltype(chain.likelihood)>>::value) {
    while (!waiting.empty()) draw_block(i, take_block(waiting, chain.likelihood), chain);
  } else {
    for (int k : waiting) draw_bit(i, k, chain);
  }
  return shared;
}

/// True if a likelihood can compute the effect of flipping two bits at once.
template <class Likelihood, class = void>
struct FlipsPairs : std::false_type {};
template <class Likelihood>
struct FlipsPairs<Likelihood,
                  std::void_t<decltype(std::declval<Likelihood&>().log_ratio_of_pair(0, 0))>>
    : std::true_type {};

/// Proposes to flip pairs of bits of the current row in features that other rows also have, once
/// per such feature: if the entries of a row determine its features almost uniquely, one feature
/// can replace another only in this way.
template <class Chain>
void flip_pairs(int i, Chain& chain) {
  auto& z = chain.z;
  auto& rng = chain.rng;
  thread_local std::vector<int> shared;
  shared.clear();
  for (int k = 0; k < z.size(); ++k)
    if (!z.is_own(i, k)) shared.push_back(k);
  const int size = static_cast<int>(shared.size());
  for (int n = 0; n < size && size > 1; ++n) {
    const int a = rng.below(size), other = rng.below(size - 1);
    const int k = shared[a], l = shared[other + (other >= a)];
    const double log_accept = log_prior_ratio_of_flip(i, k, chain) +
                              log_prior_ratio_of_flip(i, l, chain) +
                              chain.likelihood.log_ratio_of_pair(k, l);
    if (!(std::log(rng.uniform()) < log_accept)) continue;
    flip_unseen(i, k, chain);
    flip_unseen(i, l, chain);
    chain.likelihood.flip_pair(k, l);
  }
}

/// Ends the visit to row i, which shares this many features with others, by drawing the number of
/// its singletons.
template <class Chain>
void draw_own_and_leave(int i, int shared, Chain& chain) {
  const auto log_own_ratio = [&](int j) { return chain.prior.log_own_ratio(i, shared, j); };
  chain.likelihood.leave(chain.z, chain.likelihood.draw_own(log_own_ratio, chain.rng));
  chain.prior.left(chain.z, i, chain.rng);
}

/// One visit to row i: draws the features it shares with others, then the number of its singletons.
template <class Chain>
void sweep_row(int i, Chain& chain) {
  chain.likelihood.enter(chain.z, i);
  const int shared = sweep_shared(i, chain);
  if constexpr (FlipsPairs<std::decay_t<decltype(chain.likelihood)>>::value) flip_pairs(i, chain);
  draw_own_and_leave(i, shared, chain);
}

/// One visit to row i as published: one bit after the other.
template <class Chain>
void sweep_row_singly(int i, Chain& chain) {
  chain.likelihood.enter(chain.z, i);
  const std::vector<int>& order = shared_in_order(i, chain);
  for (int k : order) draw_bit(i, k, chain);
  draw_own_and_leave(i, static_cast<int>(order.size()), chain);
}

/// One visit to row i if the prior represents features that no row has. Draws every bit; the
/// loadings of features that no other row has are integrated out.
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
