#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/rng.h"
#include "core/tally.h"
#include "start.h"
#include "trace.h"

namespace buffet {

/// Mean and variance of a chain's log joint over some sweeps.
class Level {
 public:
  void add(double value) {
    ++count_;
    const double by = value - mean_;
    mean_ += by / count_;
    squares_ += by * (value - mean_);
  }

  int count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return squares_ / std::max(count_ - 1, 1); }

  void archive(Archive& a) {
    a(count_);
    a(mean_);
    a(squares_);
  }

 private:
  int count_ = 0;
  double mean_ = 0, squares_ = 0;
};

struct Plan {
  int iter = 2000, warmup = 1000, thin = 1;
  bool search = true;    ///< begin the warm-up with the search of warmup.h
  bool regroup = false;  ///< restart stuck chains during the warm-up
  bool bare = false;     ///< use the samplers as published
  int keep_after = -1;   ///< last sweep whose draw is not saved; -1: end of the warm-up

  bool keeps(int t) const { return t > (keep_after < 0 ? warmup : keep_after); }

  /// The sweep after which chains are compared and stuck ones restarted. It is 0 if the warm-up is
  /// too short for a search before that sweep and for chains to diverge after it.
  int meeting() const { return regroup && warmup >= 700 ? warmup / 5 * 3 : 0; }
  /// True if sweep t counts towards the mean log joint.
  bool levels(int t) const { return t > meeting() - warmup / 10 && t <= meeting(); }
};

/// A chain in progress, whatever its type: it runs sweep by sweep, and can be saved and resumed
/// between any two sweeps.
class AnyRun {
 public:
  virtual ~AnyRun() = default;

  int done() const { return done_; }
  bool finished() const { return done_ >= plan_.iter; }
  /// True if the chain has to wait for the other chains before it continues.
  bool waits() const { return level_.count() > 0 && done_ == plan_.meeting(); }
  bool arrived() const { return finished() || waits(); }
  const Trace& trace() const { return trace_; }
  /// Moves the trace out and begins a new one.
  Trace take_trace() { return std::exchange(trace_, {}); }
  virtual std::vector<std::string> scalar_names() const = 0;
  /// Tally of each move over the sweeps after the warm-up.
  const Tallies& tallies() const { return tallies_; }
  virtual std::vector<std::string> move_names() const = 0;

  /// The chain's log joint over the last sweeps before the barrier, and the index of the chain from
  /// whose state it last continued: its own if it was never restarted, -1 before the barrier.
  const Level& level() const { return level_; }
  int begun_from() const { return begun_from_; }
  /// Continues from the state of chain `index`, which may be this one, with its own random numbers.
  void meet(AnyRun& other, int index) {
    if (this != &other) take_over(other);
    if (this != &other || begun_from_ < 0) begun_from_ = index;
    level_ = {};
  }

  /// A number that differs if two runs that should be in the same state are not.
  virtual double mark() const = 0;

  /// One sweep. `check` may throw, which leaves the state unusable, but not the trace.
  virtual void step(const Check& check) = 0;

  /// The state without the trace.
  virtual void archive(Archive& a) = 0;

 protected:
  explicit AnyRun(const Plan& plan) : plan_(plan) {}

  /// Copies the state of the other chain, but not its random numbers.
  virtual void take_over(AnyRun& other) = 0;

  void archive_progress(Archive& a) {
    a(done_);
    a(level_);
    a(begun_from_);
    for (Tally& tally : tallies_) a(tally);
  }
  void count(const Tallies& of_sweep) {
    if (done_ < plan_.warmup) return;
    for (std::size_t n = 0; n < of_sweep.size(); ++n) tallies_[n] += of_sweep[n];
  }

  Plan plan_;
  int done_ = 0;
  Trace trace_;
  Level level_;
  int begun_from_ = -1;
  Tallies tallies_;
};

/// Makes the run of one chain, which begins from `start`. `check` may throw.
using RunMaker = std::function<std::unique_ptr<AnyRun>(const Start& start, Rng rng,
                                                       const Plan& plan, const Check& check)>;

/// Barrier: chains whose mean log joint is more than two standard deviations below the best chain's
/// continue from the state of the best one. numbers: indices of the chains in the whole run.
inline void meet(const std::vector<AnyRun*>& runs, const std::vector<int>& numbers) {
  std::size_t best = 0;
  double variance = 0;
  for (std::size_t c = 0; c < runs.size(); ++c) {
    if (runs[c]->level().mean() > runs[best]->level().mean()) best = c;
    variance += runs[c]->level().variance() / double(runs.size());
  }
  // A chain forgets its level when it passes the barrier.
  const double least = runs[best]->level().mean() - 2 * std::sqrt(variance);
  for (std::size_t c = 0; c < runs.size(); ++c) {
    const std::size_t from = runs[c]->level().mean() < least ? best : c;
    runs[c]->meet(*runs[from], numbers[from]);
  }
}

}  // namespace buffet
