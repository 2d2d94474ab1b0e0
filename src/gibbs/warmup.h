#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/likelihood.h"
#include "core/rng.h"
#include "start.h"

namespace buffet {

/// Number of sweeps from each start, and of further sweeps from the best one.
struct SearchPlan {
  int starts, sweeps_each, sweeps_best;

  /// The plan that the likelihood requests or, if the warm-up is too short for it, a proportionally
  /// reduced one.
  static SearchPlan within(int warmup, const SearchShape& shape) {
    const long all = long{shape.starts} * shape.sweeps_each + shape.sweeps_best;
    const int each =
        static_cast<int>(std::min(long{shape.sweeps_each}, warmup * long{shape.sweeps_each} / all));
    return {shape.starts, each, std::min(shape.sweeps_best, warmup - shape.starts * each)};
  }
  int total() const { return starts * sweeps_each + sweeps_best; }
  /// Three times per start: twice during its sweeps and once at their end.
  bool repairs_after(int t) const {
    return t == sweeps_each * 45 / 100 || t == sweeps_each * 75 / 100 || t == sweeps_each - 1;
  }
};

/// Warm-up: runs from several starts, then continues the best run alone. The first starts from the
/// features suggested by the data, if the likelihood has any; all others start from one random
/// feature and are annealed, from noise as large as the data down to none. Repair moves (repair.h)
/// are made during all runs. One-bit Gibbs from a cold start adds too many features and gets stuck
/// in recombinations of them; this search does not.
template <class Chain>
class Search {
 public:
  Search(Chain chain, SearchPlan plan) : chain_(std::move(chain)), plan_(plan) {}

  int total() const { return plan_.total(); }
  const Chain& chain() const { return chain_; }

  /// One sweep, after `done` sweeps.
  void step(int done, const Check& check) {
    chain_.rng.begin(done);
    if (done >= plan_.starts * plan_.sweeps_each) {
      chain_.sweep(check);
      return;
    }
    const int t = done % plan_.sweeps_each, start = done / plan_.sweeps_each;
    if (t == 0) begin(start);
    const double progress = double(t) / plan_.sweeps_each;
    chain_.likelihood.anneal(suggested_ ? 0.75 + 0.25 * progress : progress);
    chain_.sweep(check);
    if (plan_.repairs_after(t)) chain_.repair(check);
    if (t == plan_.sweeps_each - 1) end_start(start);
  }

  void archive(Archive& a) {
    a(chain_);
    a(suggested_);
    a(best_score_);
    bool has_best = best_.has_value();
    a(has_best);
    if (!has_best)
      best_.reset();
    else if (!best_)
      best_ = chain_;
    if (best_) a(*best_);
  }

 private:
  void begin(int start) {
    constexpr SearchShape shape = std::decay_t<decltype(chain_.likelihood)>::search_shape;
    chain_.likelihood.anneal(1);
    suggested_ = start == 0 && chain_.restart_as_suggested();
    if (!suggested_) chain_.restart(one_feature(chain_.z.rows(), shape.density, chain_.rng));
  }

  /// Keeps the best chain, which continues after the last start.
  void end_start(int start) {
    chain_.likelihood.anneal(1);
    if (const double score = chain_.score(); score > best_score_ || !best_) {
      best_score_ = score;
      best_ = chain_;
    }
    if (start + 1 < plan_.starts) return;
    chain_ = std::move(*best_);
    best_.reset();
  }

  Chain chain_;
  SearchPlan plan_;
  bool suggested_ = false;  ///< true if the current run started from suggested features
  std::optional<Chain> best_;
  double best_score_ = -std::numeric_limits<double>::infinity();
};

}  // namespace buffet
