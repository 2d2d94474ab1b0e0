#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "any_run.h"
#include "warmup.h"

namespace buffet {

/// True if a chain tallies its moves.
template <class Chain>
constexpr bool counts_moves =
    !std::is_void_v<decltype(std::declval<Chain&>().sweep(std::declval<const Check&>()))>;

/// True if a chain can also run sweeps without the extra moves.
template <class Chain, class = void>
struct SweepsBare : std::false_type {};
template <class Chain>
struct SweepsBare<Chain, std::void_t<decltype(std::declval<Chain&>().sweep_bare(no_check))>>
    : std::true_type {};

template <class Chain>
class Run : public AnyRun {
 public:
  Run(Chain chain, const Plan& plan) : AnyRun(plan), chain_(std::move(chain)) {
    tallies_.resize(Run::move_names().size());
    if constexpr (Chain::searches) {
      using Searched = decltype(chain_.searcher().likelihood);
      const SearchPlan search = SearchPlan::within(plan.warmup, Searched::search_shape);
      if (plan.search && search.sweeps_each > 0) search_.emplace(chain_.searcher(), search);
    }
  }

  const Chain& chain() const { return chain_; }
  std::vector<std::string> scalar_names() const override { return chain_.scalar_names(); }
  std::vector<std::string> move_names() const override {
    if constexpr (counts_moves<Chain>)
      if (!plan_.bare) return chain_.move_names();
    return {};
  }

  void step(const Check& check) override {
    if constexpr (Chain::searches)
      if (search_) return step_search(check);
    chain_.rng.begin(done_);
    sweep(check);
    ++done_;
    if (done_ % plan_.thin == 0) trace_.record(chain_, plan_.keeps(done_));
    if (plan_.levels(done_)) level_.add(chain_.scalars().back());
  }

  double mark() const override {
    if constexpr (Chain::searches)
      if (search_) return search_->chain().z.total();
    return chain_.scalars().back();
  }

  void archive(Archive& a) override {
    archive_progress(a);
    if constexpr (Chain::searches) {
      bool searching = search_.has_value();
      a(searching);
      a.check(!searching || search_, "its search");
      if (!searching) search_.reset();
      if (search_) return a(*search_);
    }
    a(chain_);
  }

 protected:
  void take_over(AnyRun& other) override {
    const Rng own = chain_.rng;
    chain_ = static_cast<Run&>(other).chain_;
    chain_.rng = own;
  }

 private:
  void sweep(const Check& check) {
    if constexpr (SweepsBare<Chain>::value)
      if (plan_.bare) return chain_.sweep_bare(check);
    if constexpr (counts_moves<Chain>)
      count(chain_.sweep(check));
    else
      chain_.sweep(check);
  }

  struct NoSearch {};
  template <class C, bool = C::searches>
  struct SearchOf {
    using Type = Search<typename C::Searcher>;
  };
  template <class C>
  struct SearchOf<C, false> {
    using Type = NoSearch;
  };

  void step_search(const Check& check) {
    search_->step(done_, check);
    if (++done_ < search_->total()) return;
    chain_.adopt(search_->chain(), check);
    search_.reset();
  }

  Chain chain_;
  std::optional<typename SearchOf<Chain>::Type> search_;
};

}  // namespace buffet
