#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "nmf.h"

namespace buffet {

struct IcmPlan {
  double tol;
  int iter, restarts, threads;
};

/// Iterated conditional modes from several starts, one after the other; the best result is kept.
class IcmRun {
 public:
  /// The current run from one start, with its log joint density after every iteration.
  struct Ascent {
    Nmf state;
    std::vector<double> trace = {};
    bool converged = false;

    double objective() const;

    void archive(Archive& a) {
      a(state);
      a(trace);
      a(converged);
    }
  };

  IcmRun(const Nmf& nmf, const IcmPlan& plan, NmfStart start, std::uint64_t seed);

  bool finished() const { return restart_ >= plan_.restarts; }
  /// Total number of iterations.
  int done() const { return done_; }
  /// The best result so far.
  const Ascent& best() const { return now_.objective() > best_.objective() ? now_ : best_; }

  /// One iteration. `check` may throw; the iteration is then undone.
  void step(const Check& check);

  void archive(Archive& a) {
    a(done_);
    a(restart_);
    a(now_);
    a(best_);
  }

 private:
  void begin();

  IcmPlan plan_;
  NmfStart start_;
  std::uint64_t seed_;
  int done_ = 0, restart_ = 0;
  Ascent now_, best_;
};

}  // namespace buffet
