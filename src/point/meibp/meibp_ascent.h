#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "meibp.h"
#include "meibp_moves.h"

namespace buffet {

/// Which proposals an ascent makes.
enum class Proposals { all, births, none };

/// The ascent from one start: iterations until the bound gains little, then proposals of births,
/// splits, merges and deaths of features by turns, with iterations after each block of them that
/// changed something. When no block does, the best of the failed proposals get full iterations
/// before they are judged again; when that fails too, the ascent converges and ends.
template <class State>
class Ascent {
 public:
  /// `x`: the data of the state in memory, where there are to be proposals.
  Ascent(State state, Rng rng, Proposals kinds, const GaussianData* x)
      : state_(std::move(state)),
        rng_(rng),
        kinds_(kinds),
        x_(x),
        phase_(kinds == Proposals::none ? final_phase : births) {}

  bool finished() const { return finished_; }
  int done() const { return done_; }
  const State& state() const { return state_; }
  /// What the ascent gives when it is left here: no more than max_features where that can be.
  const State& result() const {
    return allowed_ && state_.z.size() > state_.plan().max_features ? *allowed_ : state_;
  }
  /// The bound after every iteration, of the best state so far that has at most max_features.
  const std::vector<double>& trace() const { return trace_; }

  /// One step: an iteration, or a block of proposals. `check` may throw, which leaves the ascent
  /// unusable.
  void step(const Check& check) {
    rng_.begin(done_);
    if (converging_)
      iterate(check);
    else if (phase_ < blocks)
      propose(check);
    else if (phase_ == escalation)
      escalate(check);
    else
      end(check);
    ++done_;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(state_);
    bool has_allowed = allowed_.has_value();
    a(has_allowed);
    if (!has_allowed) allowed_.reset();
    if (a.reads() && has_allowed) allowed_ = state_;
    if (has_allowed) a(*allowed_);
    a(rng_);
    a(phase_);
    a(failed_blocks_);
    a(converging_);
    a(finished_);
    a(done_);
    a(trace_);
    for (auto& proposals : failed_) {
      int count = static_cast<int>(proposals.size());
      a(count);
      proposals.resize(count);
      for (FeatureMove& p : proposals) a(p);
    }
  }

 private:
  enum { births, splits, merges, deaths, blocks };
  static constexpr int escalation = blocks, final_phase = blocks + 1;

  /// A gain that counts.
  double least_gain() const { return 1e-6 + state_.plan().tol * std::abs(state_.bound()); }
  static constexpr Passes quick() { return {3, 0.05, 0.01}; }
  int most_features() const {
    // Features that turn out to be too many are needed on the way.
    const std::int64_t most = std::int64_t{state_.plan().max_features} * 5 / 4 + 2;
    return static_cast<int>(std::min<std::int64_t>(most, state_.prior().most_features()));
  }

  void iterate(const Check& check) {
    const double before = state_.bound();
    state_.iterate(rng_, check);
    const double gain = state_.bound() - before;
    record();
    const double tol = phase_ == final_phase ? state_.plan().tol : 1e-6;
    // Not so where the gain is no number.
    converging_ = gain > tol * std::abs(state_.bound());
  }

  void record() {
    const double before = trace_.empty() ? -INFINITY : trace_.back();
    const bool allowed = state_.z.size() <= state_.plan().max_features;
    trace_.push_back(allowed ? std::max(before, state_.bound()) : before);
  }

  /// One block of proposals, each judged after a few passes over the factors.
  void propose(const Check& check) {
    failed_[phase_].clear();
    bool any = false;
    if (phase_ == births) any = propose_births(check);
    if (phase_ == splits) any = propose_splits(check);
    if (phase_ == merges) any = propose_merges(check);
    if (phase_ == deaths) any = propose_deaths(check);
    failed_blocks_ = any ? 0 : failed_blocks_ + 1;
    converging_ = any;
    if (kinds_ == Proposals::all)
      phase_ = failed_blocks_ == blocks ? escalation : (phase_ + 1) % blocks;
    else if (!any)
      finish();
  }

  void finish() {
    converging_ = true;
    phase_ = final_phase;
  }

  bool propose_births(const Check& check) {
    bool any = false;
    // Births are cheap but where rows are very many.
    const int patience = kinds_ == Proposals::all ? 10 : 3;
    for (int failures = 0; failures < patience && state_.z.size() < most_features();) {
      const FeatureMove p = Proposer<State>(state_, *x_).birth(rng_, check);
      if (attempt(p, births, check)) {
        any = true;
        failures = 0;
      } else {
        ++failures;
      }
    }
    return any;
  }

  bool propose_splits(const Check& check) {
    bool any = false;
    // Accepted splits put what they make at the end, where the last feature was before.
    for (int k = state_.z.size() - 1; k >= 0; --k) {
      if (state_.z.size() >= most_features()) break;
      check();
      any |= attempt(Proposer<State>(state_, *x_).split(k), splits, check);
    }
    return any;
  }

  bool propose_merges(const Check& check) {
    return one_by_one(merges, check, [](const Proposer<State>& proposer) {
      std::vector<FeatureMove> all;
      for (const auto& [k, l] : proposer.likely_pairs()) all.push_back(proposer.merge(k, l));
      return all;
    });
  }

  bool propose_deaths(const Check& check) {
    return one_by_one(deaths, check, [](const Proposer<State>& proposer) {
      std::vector<FeatureMove> all;
      for (int k : proposer.by_weight()) all.push_back(proposer.death(k));
      return all;
    });
  }

  /// Tries all proposals of a state in their order, anew after each that is taken.
  template <class F>
  bool one_by_one(int kind, const Check& check, F proposals_of) {
    const auto first = [&] {
      const auto proposals = proposals_of(Proposer<State>(state_, *x_));
      return std::any_of(proposals.begin(), proposals.end(), [&](const FeatureMove& p) {
        check();
        return attempt(p, kind, check);
      });
    };
    bool any = false;
    while (first()) any = true;
    return any;
  }

  /// Takes a proposal that raises the bound; keeps it in mind otherwise.
  bool attempt(const FeatureMove& p, int kind, const Check& check) {
    if (p.drops.empty() && p.adds.empty()) return false;
    State next = changed(state_, p, rng_, check);
    next.settle(quick());
    if (next.bound() > state_.bound() + least_gain()) {
      take(std::move(next));
      return true;
    }
    remember(p, next.bound(), kind);
    return false;
  }

  void take(State next) {
    const int most = state_.plan().max_features;
    if (state_.z.size() <= most && next.z.size() > most) allowed_ = state_;
    state_ = std::move(next);
    for (auto& proposals : failed_) proposals.clear();
  }

  /// The five best of each kind.
  void remember(FeatureMove p, double bound, int kind) {
    p.bound = bound;
    auto& best = failed_[kind];
    const auto at = std::find_if(best.begin(), best.end(),
                                 [&](const FeatureMove& other) { return other.bound < bound; });
    best.insert(at, std::move(p));
    if (best.size() > 5) best.pop_back();
  }

  /// Up to three full iterations for each of the best failed proposals.
  void escalate(const Check& check) {
    for (int kind : {deaths, merges, births, splits})
      for (const FeatureMove& p : failed_[kind])
        if (pursue(p, check)) {
          failed_blocks_ = 0;
          phase_ = births;
          converging_ = true;
          return;
        }
    finish();
  }

  bool pursue(const FeatureMove& p, const Check& check) {
    State next = changed(state_, p, rng_, check);
    next.settle(quick());
    const double goal = state_.bound() + least_gain();
    for (int n = 1; n <= 3; ++n) {
      const double before = next.bound();
      next.iterate(rng_, check);
      if (next.bound() > goal) {
        take(std::move(next));
        return true;
      }
      const double deficit = goal - next.bound(), gain = next.bound() - before;
      if (deficit > (n == 1 ? 4 : 2 * (3 - n)) * gain) return false;
    }
    return false;
  }

  /// Features beyond max_features go, those first that cost least.
  void end(const Check& check) {
    if (state_.z.size() <= state_.plan().max_features) {
      if (allowed_ && allowed_->bound() > state_.bound()) state_ = *allowed_;
      record();
      finished_ = true;
      return;
    }
    const Proposer<State> proposer(state_, *x_);
    State best = state_;
    double most = -INFINITY;
    for (int k = 0; k < state_.z.size(); ++k) {
      check();
      State next = changed(state_, proposer.death(k), rng_, check);
      next.settle(quick());
      if (next.bound() > most) {
        most = next.bound();
        best = std::move(next);
      }
    }
    state_ = std::move(best);
    converging_ = true;
  }

  State state_;
  std::optional<State> allowed_;  ///< the last with at most max_features before there were more
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
