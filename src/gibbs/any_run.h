#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/rng.h"
#include "start.h"
#include "trace.h"

namespace buffet {

struct Plan {
  int iter = 2000, warmup = 1000, thin = 1;
  bool search = true;  ///< begin the warm-up with the search of warmup.h
};

/// A chain on its way, whatever the chain is: sweep by sweep, to be left and taken up again between
/// any two.
class AnyRun {
 public:
  virtual ~AnyRun() = default;

  int done() const { return done_; }
  bool finished() const { return done_ >= plan_.iter; }
  const Trace& trace() const { return trace_; }
  virtual std::vector<std::string> scalar_names() const = 0;

  /// One sweep. `check` may throw, which leaves the state unusable, but not the trace.
  virtual void step(const Check& check) = 0;

  /// The state without the trace.
  virtual void archive(Archive& a) = 0;

 protected:
  explicit AnyRun(const Plan& plan) : plan_(plan) {}

  Plan plan_;
  int done_ = 0;
  Trace trace_;
};

/// Makes the run of one chain, which begins where `start` says. `check` may throw.
using RunMaker = std::function<std::unique_ptr<AnyRun>(const Start& start, Rng rng,
                                                       const Plan& plan, const Check& check)>;

}  // namespace buffet
