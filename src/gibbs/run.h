#pragma once

#include <optional>
#include <utility>

#include "trace.h"
#include "warmup.h"

namespace buffet {

struct Plan {
  int iter = 2000, warmup = 1000, thin = 1;
  bool search = true;  ///< begin the warm-up with the search of warmup.h
};

/// One chain on its way: sweep by sweep, to be left and taken up again between any two.
template <class Chain>
class Run {
 public:
  Run(Chain chain, const Plan& plan) : plan_(plan), chain_(std::move(chain)) {
    if constexpr (Chain::searches) {
      using Searched = decltype(chain_.searcher().likelihood);
      const SearchPlan search = SearchPlan::within(plan.warmup, Searched::search_shape);
      if (plan.search && search.sweeps_each > 0) search_.emplace(chain_.searcher(), search);
    }
  }

  int done() const { return done_; }
  bool finished() const { return done_ >= plan_.iter; }
  const Chain& chain() const { return chain_; }
  const Trace& trace() const { return trace_; }

  /// One sweep. `check` may throw, which leaves the state unusable, but not the trace.
  template <class Check>
  void step(Check check) {
    if constexpr (Chain::searches)
      if (search_) return step_search(check);
    chain_.rng.begin(done_);
    chain_.sweep(check);
    ++done_;
    if (done_ % plan_.thin == 0) trace_.record(chain_, done_ > plan_.warmup);
  }

  /// The state without the trace.
  template <class Archive>
  void archive(Archive& a) {
    a(done_);
    if constexpr (Chain::searches) {
      bool searching = search_.has_value();
      a(searching);
      if (!searching) search_.reset();
      if (search_) return a(*search_);
    }
    a(chain_);
  }

 private:
  struct NoSearch {};
  template <class C, bool = C::searches>
  struct SearchOf {
    using Type = Search<typename C::Searcher>;
  };
  template <class C>
  struct SearchOf<C, false> {
    using Type = NoSearch;
  };

  template <class Check>
  void step_search(Check check) {
    search_->step(done_, check);
    if (++done_ < search_->total()) return;
    chain_.adopt(search_->chain());
    search_.reset();
  }

  Plan plan_;
  Chain chain_;
  int done_ = 0;
  std::optional<typename SearchOf<Chain>::Type> search_;
  Trace trace_;
};

}  // namespace buffet
