#pragma once

#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "gibbs/sweep.h"
#include "known_probabilities.h"
#include "row_by_scores.h"

namespace buffet {

/// What the bits of a row are drawn by, given loadings and probabilities.
struct RowChain {
  Features& z;  ///< the member's own part
  KnownProbabilities& prior;
  RowByScores& likelihood;
  Rng& rng;
  bool bare = false;  ///< no moves of several bits
};

/// Draws the bits of row i at these numbers, which are in random order.
inline void draw_free_bits(int i, const std::vector<int>& free, RowChain& chain) {
  if (chain.bare) {
    for (int k : free) draw_bit(i, k, chain);
    return;
  }
  thread_local std::vector<int> waiting;
  waiting = free;
  while (!waiting.empty()) draw_block(i, take_block(waiting, chain.likelihood), chain);
}

}  // namespace buffet
