#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/likelihood.h"
#include "core/rng.h"

namespace buffet {

/// True if a likelihood can compute the effect of flipping several bits of the current row at once.
template <class Likelihood, class = void>
struct KnowsFlips : std::false_type {};
template <class Likelihood>
struct KnowsFlips<Likelihood,
                  std::void_t<decltype(std::declval<const Likelihood&>().coupled(0, 0))>>
    : std::true_type {};

/// Some bits of one row.
struct BitBlock {
  std::array<int, Flips::most> bits;
  int size = 0;
};

/// Takes the last of the waiting features, and those among the few before it that are coupled with
/// it. The choice does not depend on the bits of the row; otherwise the posterior would not be
/// invariant.
template <class Likelihood>
BitBlock take_block(std::vector<int>& waiting, const Likelihood& likelihood) {
  constexpr int looked_at = 16;
  BitBlock block;
  const int first = block.bits[block.size++] = waiting.back();
  waiting.pop_back();
  const int end = std::max(0, static_cast<int>(waiting.size()) - looked_at);
  for (int n = static_cast<int>(waiting.size()) - 1; n >= end && block.size < Flips::most; --n)
    if (likelihood.coupled(first, waiting[n])) {
      block.bits[block.size++] = waiting[n];
      waiting.erase(waiting.begin() + n);
    }
  return block;
}

/// Log prior odds of flipping bit k of row i, whatever the row's other bits are.
template <class Chain>
double log_prior_ratio_of_flip(int i, int k, const Chain& chain) {
  const double log_odds = chain.prior.log_odds(chain.z, i, k);
  return chain.z.at(i, k) ? -log_odds : log_odds;
}

/// Log weights of all subsets of the block's bits to flip.
template <class Chain>
void weigh_flips(const BitBlock& block, int i, const Chain& chain, double* out) {
  chain.likelihood.log_densities(block.bits.data(), block.size, out);
  std::array<double, Flips::subsets> log_prior;
  log_prior[0] = 0;
  for (int a = 0; a < block.size; ++a) {
    const double change = log_prior_ratio_of_flip(i, block.bits[a], chain);
    for (int c = 0; c < 1 << a; ++c) log_prior[c | 1 << a] = log_prior[c] + change;
  }
  for (int c = 0; c < 1 << block.size; ++c) out[c] += log_prior[c];
}

/// Draws the subset of bits to flip, with probability proportional to its weight.
inline int draw_flips(double* log_weights, int count, Rng& rng) {
  const double largest = *std::max_element(log_weights, log_weights + count);
  double total = 0;
  for (int c = 0; c < count; ++c) {
    const double below = log_weights[c] - largest;
    total += log_weights[c] = below > -40 ? std::exp(below) : 0;
  }
  double left = rng.uniform() * total;
  int c = 0;
  while (c + 1 < count && (left -= log_weights[c]) >= 0) ++c;
  return c;
}

}  // namespace buffet
