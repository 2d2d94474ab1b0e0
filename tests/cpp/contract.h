#pragma once

#include <testthat/vendor/catch.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "gibbs/chains.h"
#include "joint_checks.h"
#include "resumed.h"
#include "simulation.h"
#include "weighted.h"

// Requirements that the chain of any likelihood must meet, checked through its test case.

namespace test {

/// Data from a problem, and chains that start in the state from which the data were drawn or in a
/// state reached from it by some sweeps.
template <class Case>
struct CasePair {
  using Chain = typename Case::Chain;

  explicit CasePair(const typename Case::Problem& problem)
      : problem(problem), start(draw_some()), data(Case::data(problem, start)) {}
  CasePair(const CasePair&) = delete;

  Chain begun(std::uint64_t seed, std::uint64_t stream) const {
    Chain chain = Case::chain(problem, data, start, Rng(seed, stream));
    Case::set(problem, start, chain);
    return chain;
  }
  Chain one() const { return begun(81, 2); }
  Chain other() const {
    Chain chain = begun(82, 1);
    for (int t = 0; t < 3; ++t) Case::sweep(problem, chain);
    return chain;
  }

 private:
  typename Simulation<Case>::State draw_some() const {
    Rng rng(83);
    for (;;) {
      auto state = problem.draw(rng);
      Simulation<Case> simulation(problem, state, rng);
      simulation.sweep();
      if (simulation.features_of_chain() > 1) return state;
    }
  }

 public:
  typename Case::Problem problem;
  typename Simulation<Case>::State start;
  typename Case::Data data;
};

/// Posterior means given x, from draws from the prior weighted by the likelihood of x.
template <class Case, class Data>
std::vector<Weighted> weighted_draws(const typename Case::Problem& problem, const Data& x,
                                     int draws, Rng& rng) {
  std::vector<Weighted> all;
  for (int n = 0; n < draws; ++n) {
    auto drawn = problem.draw(rng);
    drawn.x = x;
    const double weight = std::exp(Case::log_density(problem, drawn));
    const auto values = statistics(drawn, problem);
    all.resize(values.size());
    for (std::size_t s = 0; s < all.size(); ++s) all[s].add(weight, values[s].value);
  }
  return all;
}

/// The least informative of several random data sets: the one for which importance sampling has the
/// largest effective size, as estimated from a few weighted draws.
template <class Case>
auto draw_vague(const typename Case::Problem& problem, Rng& rng) {
  auto best = problem.draw(rng);
  double most = 0;
  for (int n = 0; n < 50; ++n) {
    const auto state = problem.draw(rng);
    const double effective = weighted_draws<Case>(problem, state.x, 2000, rng).front().effective();
    if (effective > most) {
      best = state;
      most = effective;
    }
  }
  return best;
}

/// Checks that a chain has the posterior given by prior draws weighted by the likelihood.
template <class Case>
void check_posterior(const typename Case::Problem& problem, int draws, int sweeps) {
  INFO(problem.name());
  Rng rng(84);
  const auto given = draw_vague<Case>(problem, rng);
  const std::vector<Weighted> exact = weighted_draws<Case>(problem, given.x, draws, rng);
  CHECK((exact[0].effective() > 500));
  Simulation<Case> simulation(problem, given, Rng(85));
  std::vector<BatchMean> chain(exact.size(), BatchMean(sweeps, 200));
  std::vector<Statistic> values;
  Limits limits(60);
  for (int t = -200; t < sweeps; ++t) {
    simulation.sweep();
    limits.check(simulation.features_of_chain());
    if (t < 0) continue;
    simulation.read(rng);
    values = simulation.values();
    for (std::size_t s = 0; s < exact.size(); ++s) chain[s].add(values[s].value);
  }
  for (std::size_t s = 0; s < exact.size(); ++s) {
    INFO(values[s].name << " is " << exact[s].value() << ", sampled " << chain[s].value());
    const double z =
        z_score(chain[s].value() - exact[s].value(), chain[s].variance() + exact[s].variance());
    CHECK(std::abs(z) < 4.5);
  }
}

/// same_seed: results of runs with the same seed, the first of them on one core. other: results
/// with a different seed.
inline void check_seeds(const std::vector<std::vector<buffet::Snapshot>>& same_seed,
                        const std::vector<buffet::Snapshot>& other) {
  const auto& one = same_seed[0];
  for (int c = 0; c < 3; ++c) {
    CHECK(one[c].failure == "");
    CHECK(one[c].trace.records() >= 40);
    for (const auto& ends : same_seed) {
      CHECK(same(one[c].trace, ends[c].trace));
      CHECK(one[c].state == ends[c].state);
      CHECK(same(one[c].tallies, ends[c].tallies));
    }
    CHECK_FALSE(same(one[c].trace, other[c].trace));
    CHECK_FALSE(same(one[c].trace, one[(c + 1) % 3].trace));
  }
}

/// Checks that a seed gives the same result on any number of cores, and that different seeds and
/// chains differ.
template <class Case>
void check_seeds(const typename Case::Problem& problem) {
  INFO(problem.name());
  const CasePair<Case> pair(problem);
  const auto ends = [&](int cores, int seed) {
    return run_three(cores, true, [&](int c) { return pair.begun(seed, c); });
  };
  check_seeds({ends(1, 86), ends(1, 86), ends(2, 86)}, ends(1, 87));
}

/// Checks that a chain that is stopped from outside leaves a state from which it continues to the
/// same result.
inline void check_stopped(std::unique_ptr<buffet::AnyRun> run, buffet::AnyRun& whole,
                          buffet::AnyRun& rest) {
  std::vector<std::unique_ptr<buffet::AnyRun>> runs;
  runs.push_back(std::move(run));
  buffet::Chains chains(std::move(runs));
  chains.work(1, [](auto&) { return false; });
  const auto left = chains.take(0);
  finish(whole);
  buffet::from_bytes(left.state, rest);
  CHECK(left.trace.records() == rest.done());
  CHECK(starts_with(whole.trace(), left.trace));
  CHECK(ends_with(whole.trace(), finish(rest)));
  CHECK(equal(rest, whole));
}
template <class Case>
void check_stopped(const typename Case::Problem& problem) {
  INFO(problem.name());
  const CasePair<Case> pair(problem);
  const buffet::Plan plan{3000, 0, 1, false};
  check_stopped(run_of(pair.one(), plan), *run_of(pair.one(), plan), *run_of(pair.other(), plan));
}

}  // namespace test
