#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "nmf.h"

namespace buffet {

struct IcmPlan {
  double tol;
  int iter, restarts, threads;
};

/// Iterated conditional modes from several starts, one after the other, of which the best is kept.
class IcmRun {
 public:
  /// A start on its way, with its log joint density after every iteration.
  struct Ascent {
    Nmf state;
    std::vector<double> trace = {};
    bool converged = false;

    double objective() const { return trace.empty() ? -INFINITY : trace.back(); }

    template <class Archive>
    void archive(Archive& a) {
      a(state);
      a(trace);
      a(converged);
    }
  };

  IcmRun(const Nmf& nmf, const IcmPlan& plan, NmfStart start, std::uint64_t seed)
      : plan_(plan), start_(std::move(start)), seed_(seed), now_{nmf}, best_{nmf} {
    // The same start again would end in the same place.
    if (start_.w.size() > 0 && start_.a.size() > 0) plan_.restarts = 1;
    begin();
  }

  bool finished() const { return restart_ >= plan_.restarts; }
  /// Iterations in all.
  int done() const { return done_; }
  /// The best so far.
  const Ascent& best() const { return now_.objective() > best_.objective() ? now_ : best_; }

  /// One iteration. `check` may throw, which undoes it.
  template <class Check>
  void step(Check check) {
    const Nmf before = now_.state;
    try {
      now_.state.climb(plan_.threads, check);
    } catch (...) {
      now_.state = before;
      throw;
    }
    ++done_;
    const double last = now_.objective(), next = now_.state.log_joint();
    now_.trace.push_back(next);
    now_.converged = next - last <= plan_.tol * std::abs(next);
    if (!now_.converged && static_cast<int>(now_.trace.size()) < plan_.iter) return;
    if (now_.objective() > best_.objective()) best_ = now_;
    ++restart_;
    if (!finished()) begin();
  }

  template <class Archive>
  void archive(Archive& a) {
    a(done_);
    a(restart_);
    a(now_);
    a(best_);
  }

 private:
  void begin() {
    Rng rng(seed_, restart_);
    now_.state.start(start_, rng);
    now_.trace.clear();
    now_.converged = false;
  }

  IcmPlan plan_;
  NmfStart start_;
  std::uint64_t seed_;
  int done_ = 0, restart_ = 0;
  Ascent now_, best_;
};

}  // namespace buffet
