#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/rng.h"
#include "meibp.h"
#include "meibp_moves.h"

namespace buffet {

/// Which proposals an ascent makes.
enum class Proposals { all, births, none };

/// The ascent from one start: iterations until the bound gains little, then proposals of births,
/// splits, merges and deaths of features in turn, with iterations after each block of proposals
/// that changed the state. If no block changes it, the best failed proposals get full iterations
/// before they are judged again; if these also fail, the ascent has converged and ends.
class Ascent {
 public:
  /// `x`: the data of the state in memory, needed only if proposals are made.
  Ascent(Meibp state, Rng rng, Proposals kinds, const GaussianData* x);

  bool finished() const { return finished_; }
  int done() const { return done_; }
  const Meibp& state() const { return state_; }
  /// The result of the ascent if it stops here, with at most max_features features if possible.
  const Meibp& result() const;
  /// The bound of the best state so far that has at most max_features, after every iteration.
  const std::vector<double>& trace() const { return trace_; }

  /// One step: an iteration, or a block of proposals. `check` may throw, which leaves the ascent
  /// unusable.
  void step(const Check& check);

  void archive(Archive& a) {
    a(state_);
    bool has_allowed = allowed_.has_value();
    a(has_allowed);
    if (!has_allowed) allowed_.reset();
    if (a.reads() && has_allowed) allowed_ = state_;
    if (has_allowed) a(*allowed_);
    a(rng_);
    a(phase_);
    a.check(phase_ >= 0 && phase_ <= final_phase &&
                (kinds_ != Proposals::none || phase_ == final_phase),
            "its phase");
    a(failed_blocks_);
    a.check(failed_blocks_ >= 0 && failed_blocks_ <= blocks, "the number of failures");
    a(converging_);
    a(finished_);
    a(done_);
    a(trace_);
    for (auto& proposals : failed_) {
      int count = static_cast<int>(proposals.size());
      a.number_of(count, sizeof(double), "the number of proposals");
      proposals.resize(count);
      for (FeatureMove& p : proposals) p.archive(a, state_.data());
    }
    a.check(phase_ == final_phase || fit_to_state(), "the features of proposals");
  }

 private:
  /// True if the failed proposals still refer to existing features. Only the proposals of blocks
  /// that have failed since the last change matter; all others are made anew before they are tried
  /// again.
  bool fit_to_state() const {
    for (int n = 1; n <= failed_blocks_; ++n)
      for (const FeatureMove& p : failed_[(phase_ + blocks - n) % blocks])
        if (!p.fits(state_.z.size())) return false;
    return true;
  }

  enum { births, splits, merges, deaths, blocks };
  static constexpr int escalation = blocks, final_phase = blocks + 1;

  /// The smallest gain that counts as an improvement.
  double least_gain() const {
    return 1e-6 + state_.plan().tol * size_in_units_of(state_.data(), state_.bound());
  }
  static constexpr Passes quick() { return {3, 0.05, 0.01}; }
  int most_features() const;

  void iterate(const Check& check);

  void record();

  /// Makes one block of proposals, each judged after a few passes over the factors.
  void propose(const Check& check);

  void finish();

  bool propose_births(const Check& check);

  bool propose_splits(const Check& check);

  bool propose_merges(const Check& check);

  bool propose_deaths(const Check& check);

  /// Tries all proposals for a state in order; after each one that is accepted, makes new
  /// proposals.
  template <class F>
  bool one_by_one(int kind, const Check& check, F proposals_of) {
    const auto first = [&] {
      const auto proposals = proposals_of(Proposer(state_, *x_));
      return std::any_of(proposals.begin(), proposals.end(), [&](const FeatureMove& p) {
        check();
        return attempt(p, kind, check);
      });
    };
    bool any = false;
    while (first()) any = true;
    return any;
  }

  /// Accepts a proposal if it raises the bound; otherwise remembers it.
  bool attempt(const FeatureMove& p, int kind, const Check& check);

  void take(Meibp next);

  /// Remembers the five best proposals of each kind.
  void remember(FeatureMove p, double bound, int kind);

  /// Runs up to three full iterations for each of the best failed proposals.
  void escalate(const Check& check);

  bool pursue(const FeatureMove& p, const Check& check);

  /// Drops features until max_features are left, starting with the features whose removal costs
  /// least.
  void end(const Check& check);

  Meibp state_;
  std::optional<Meibp> allowed_;  ///< last state with at most max_features before exceeding it
  Rng rng_;
  Proposals kinds_;
  const GaussianData* x_;
  int phase_;
  int failed_blocks_ = 0;
  bool converging_ = true, finished_ = false;
  int done_ = 0;
  std::vector<double> trace_;
  std::array<std::vector<FeatureMove>, blocks> failed_;
};

}  // namespace buffet
