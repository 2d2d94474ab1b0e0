#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/rng.h"
#include "tree_case.h"

namespace test {

using buffet::Rng;

/// Is an entry among those that a problem which hides some does not show? About a third of them,
/// the second row altogether.
inline bool is_among_hidden(int i, int d) {
  return i == 1 || (i + 3 * d) % 5 == 2;
}

/// A chain and the data it refers to, set to any state. A case names the problem, which draws all
/// that there is, the data, the chain, and how these are made, set and read. One that `rebuilds`
/// has a new chain for every state; others keep what a chain has beside its state.
template <class Case>
class Simulation {
 public:
  using ModelOf = typename Case::Problem;
  using State = decltype(std::declval<ModelOf>().draw(std::declval<Rng&>()));

  Simulation(const ModelOf& problem, const State& start, Rng rng)
      : problem_(problem),
        given_(start),
        data_(std::make_unique<Data>(Case::data(problem, start))),
        chain_(Case::chain(problem, *data_, start, rng)) {
    Case::set(problem_, start, *chain_);
  }
  Simulation(const Simulation&) = delete;

  void set(const State& state) {
    given_ = state;
    if constexpr (Case::rebuilds) {
      auto data = std::make_unique<Data>(Case::data(problem_, state));
      const Rng rng = chain_->rng;
      chain_.emplace(Case::chain(problem_, *data, state, rng));
      data_ = std::move(data);
    } else {
      *data_ = Case::data(problem_, state);
    }
    Case::set(problem_, state, *chain_);
  }

  void sweep() { Case::sweep(problem_, *chain_); }
  int features() const { return Case::features(*chain_); }

  /// What a chain is not told, and so does not know, is that of the state it was set to.
  State state(Rng& rng) const { return Case::state(problem_, given_, *chain_, rng); }

 private:
  using Data = typename Case::Data;

  ModelOf problem_;
  State given_;
  std::unique_ptr<Data> data_;
  std::optional<typename Case::Chain> chain_;
};

/// The same with the sampler as it is published.
template <class Case>
struct BareCase : Case {
  static void sweep(const typename Case::Problem&, typename Case::Chain& chain) {
    chain.sweep_bare([] {});
  }
};
template <class Case>
using Bare = Simulation<BareCase<Case>>;

/// Features and the prior's part of a state.
template <class C, class Joint>
void set_features(C& chain, const Joint& state) {
  chain.z = state.z;
  if constexpr (std::is_same_v<decltype(C::prior), Phylogenetic>)
    set_state(chain.prior, chain.z, state.parameters.alpha, state.log_rates);
  else
    chain.prior.set({state.parameters.alpha, state.parameters.c});
}

template <class C, class Joint>
void read_features(const C& chain, Joint& state) {
  state.z = chain.z;
  state.parameters.alpha = chain.prior.alpha();
  state.log_rates.clear();
  if constexpr (std::is_same_v<decltype(C::prior), Phylogenetic>)
    state.log_rates = log_rates_of(chain.prior, chain.z);
  else
    state.parameters.c = chain.prior.concentration();
}

}  // namespace test
