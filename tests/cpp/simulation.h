#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "attraction_case.h"
#include "core/rng.h"
#include "statistics.h"
#include "tree_case.h"

namespace test {

using buffet::Rng;

/// True for the entries that are hidden in problems with missing data: about a third of them, and
/// the whole second row.
inline bool is_among_hidden(int i, int d) {
  return i == 1 || (i + 3 * d) % 5 == 2;
}

/// A model, a joint state of all its variables, and a chain that can be set to any state; the types
/// are erased.
class AnySimulation {
 public:
  virtual ~AnySimulation() = default;

  virtual std::string name() const = 0;
  /// Draw the whole state from the prior, or the data given the rest of the state.
  virtual void draw(Rng& rng) = 0;
  virtual void draw_data(Rng& rng) = 0;
  /// Copy the state to the chain, and back. Whatever is not part of the state stays in the chain.
  virtual void set() = 0;
  virtual void read(Rng& rng) = 0;
  virtual void sweep() = 0;

  virtual int features_of_chain() const = 0;
  virtual int features_of_state() const = 0;
  virtual std::vector<Statistic> values() const = 0;
};

/// A case defines the problem (which draws the joint state), the data and the chain, and how to
/// make, set and read them. If it `rebuilds`, there is a new chain for every state; otherwise,
/// whatever is not part of the state stays in the chain.
template <class Case>
class Simulation : public AnySimulation {
 public:
  using ModelOf = typename Case::Problem;
  using State = decltype(std::declval<ModelOf>().draw(std::declval<Rng&>()));

  Simulation(const ModelOf& problem, const State& start, Rng rng)
      : problem_(problem),
        state_(start),
        data_(std::make_unique<Data>(Case::data(problem, start))),
        chain_(Case::chain(problem, *data_, start, rng)) {
    Case::set(problem_, start, *chain_);
  }
  Simulation(const Simulation&) = delete;

  std::string name() const override { return problem_.name(); }
  void draw(Rng& rng) override { state_ = problem_.draw(rng); }
  void draw_data(Rng& rng) override {
    if constexpr (has_data) state_.x = problem_.draw_data(state_, rng);
  }

  void set() override {
    if constexpr (Case::rebuilds) {
      auto data = std::make_unique<Data>(Case::data(problem_, state_));
      const Rng rng = chain_->rng;
      chain_.emplace(Case::chain(problem_, *data, state_, rng));
      data_ = std::move(data);
    } else {
      *data_ = Case::data(problem_, state_);
    }
    Case::set(problem_, state_, *chain_);
  }
  void read(Rng& rng) override { state_ = Case::state(problem_, state_, *chain_, rng); }
  void sweep() override { Case::sweep(problem_, *chain_); }

  int features_of_chain() const override { return Case::features(*chain_); }
  int features_of_state() const override { return state_.z.size(); }
  std::vector<Statistic> values() const override { return statistics(state_, problem_); }

 private:
  using Data = typename Case::Data;

  template <class S, class = void>
  struct HasData : std::false_type {};
  template <class S>
  struct HasData<S, std::void_t<decltype(S::x)>> : std::true_type {};
  static constexpr bool has_data = HasData<State>::value;

  ModelOf problem_;
  State state_;
  std::unique_ptr<Data> data_;
  std::optional<typename Case::Chain> chain_;
};

/// The data as the chain sees them, with NaN for hidden entries.
template <class Problem>
Eigen::MatrixXd shown(const Problem& problem, Eigen::MatrixXd x) {
  for (int i = 0; i < x.rows(); ++i)
    for (int d = 0; d < x.cols(); ++d)
      if (problem.is_hidden(i, d)) x(i, d) = NAN;
  return x;
}

/// Completes the joint state by drawing the hidden entries given everything else.
template <class Problem, class State>
void draw_hidden(const Problem& problem, State& state, Rng& rng) {
  if (!shown(problem, state.x).hasNaN()) return;
  const Eigen::MatrixXd drawn = problem.draw_data(state, rng);
  for (int i = 0; i < drawn.rows(); ++i)
    for (int d = 0; d < drawn.cols(); ++d)
      if (problem.is_hidden(i, d)) state.x(i, d) = drawn(i, d);
}

/// A case whose chain uses the sampler as published.
template <class Case>
struct BareCase : Case {
  static void sweep(const typename Case::Problem&, typename Case::Chain& chain) {
    chain.sweep_bare([] {});
  }
};
template <class Case>
using Bare = Simulation<BareCase<Case>>;

/// Features, and the part of a state that belongs to their prior.
template <class C, class Joint>
void set_features(C& chain, const Joint& state) {
  chain.z = state.z;
  if constexpr (std::is_same_v<decltype(C::prior), Phylogenetic>)
    set_state(chain.prior, chain.z, state.parameters.alpha, state.log_rates);
  else if constexpr (std::is_same_v<decltype(C::prior), Attraction>) {
    chain.prior.set({state.parameters.alpha, chain.prior.temperature()});
    chain.prior.follow(chain.z);
  } else
    chain.prior.set({state.parameters.alpha, state.parameters.c});
}

template <class C, class Joint>
void read_features(const C& chain, Joint& state) {
  state.z = chain.z;
  state.parameters.alpha = chain.prior.alpha();
  state.log_rates.clear();
  if constexpr (std::is_same_v<decltype(C::prior), Phylogenetic>)
    state.log_rates = log_rates_of(chain.prior, chain.z);
  else if constexpr (!std::is_same_v<decltype(C::prior), Attraction>)
    state.parameters.c = chain.prior.concentration();
}

}  // namespace test
