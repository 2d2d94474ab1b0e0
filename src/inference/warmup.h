#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "../core/features.h"
#include "../core/rng.h"

namespace buffet {

/// One feature that each row has with probability 1/2, never empty.
inline Features one_feature(int rows, Rng& rng) {
  Bits column(rows);
  for (int i = 0; i < rows; ++i)
    if (rng.bernoulli(0.5)) column.set(i);
  if (column.count() == 0) column.set(rng.below(rows));
  Features z(rows);
  z.add(std::move(column));
  return z;
}

/// How many sweeps each of three starts gets, and how many the best of them afterwards.
struct SearchPlan {
  static constexpr int starts = 3;
  int sweeps_each, sweeps_best;

  /// 100 and 50 where there is room, in proportion where there is not.
  static SearchPlan within(int warmup) {
    const int each = std::min(100, warmup * 2 / 7);
    return {each, std::min(50, warmup - starts * each)};
  }
  int total() const { return starts * sweeps_each + sweeps_best; }
  /// Three times in a start: twice under way and at its end.
  bool repairs_after(int t) const {
    return t == sweeps_each * 45 / 100 || t == sweeps_each * 75 / 100 || t == sweeps_each - 1;
  }
};

/// Warm-up: three starts from one random feature, each annealed from a noise of the data's own
/// size down to none and repaired on the way, then the best of them alone. One-bit Gibbs from a
/// cold start over-grows and freezes in recombinations of the features; this does not. Returns the
/// number of sweeps, or -1 when `report` (sweeps done -> go on?) says stop.
template <class Chain, class Report>
int search(Chain& chain, SearchPlan plan, Report report) {
  double best_score = -std::numeric_limits<double>::infinity();
  std::optional<Chain> best;
  int done = 0;
  for (int start = 0; start < plan.starts && plan.sweeps_each > 0; ++start) {
    chain.restart(one_feature(chain.z.rows(), chain.rng));
    for (int t = 0; t < plan.sweeps_each; ++t) {
      chain.likelihood.anneal(double(t) / plan.sweeps_each);
      chain.sweep();
      if (plan.repairs_after(t)) chain.repair();
      if (!report(++done)) return -1;
    }
    chain.likelihood.anneal(1);
    if (const double score = chain.score(); score > best_score || !best) {
      best_score = score;
      best = chain;
    }
  }
  if (best) {
    const Rng rng = chain.rng;
    chain = std::move(*best);
    chain.rng = rng;
  }
  for (int t = 0; t < plan.sweeps_best; ++t) {
    chain.sweep();
    if (!report(++done)) return -1;
  }
  return done;
}

}  // namespace buffet
