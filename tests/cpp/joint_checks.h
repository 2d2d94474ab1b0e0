#pragma once

#include <testthat/vendor/catch.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scale.h"
#include "simulation.h"

namespace test {

/// Means of the statistics and of their squares, and how often each number of features occurs.
struct Sample {
  std::vector<const char*> names;
  std::vector<Mean> means, squares;
  std::vector<double> sizes = std::vector<double>(200, 0);

  void add(const AnySimulation& simulation) {
    const auto values = simulation.values();
    means.resize(values.size());
    squares.resize(values.size());
    names.clear();
    for (std::size_t n = 0; n < values.size(); ++n) {
      names.push_back(values[n].name);
      means[n].add(values[n].value);
      squares[n].add(values[n].value * values[n].value);
    }
    ++sizes[simulation.features_of_state()];
  }
};

inline double two_sample_p(const Mean& a, const Mean& b) {
  return normal_p(z_score(a.value() - b.value(), a.variance() + b.variance()));
}

inline void check_same_law(const Sample& moved, const Sample& fresh) {
  const double tests = 2.0 * moved.means.size() + 1;
  const auto check = [&](const std::string& name, double p) {
    INFO(name);
    const double adjusted_p = std::min(1.0, tests * p);
    CHECK(adjusted_p > 1e-5);
  };
  for (std::size_t n = 0; n < moved.means.size(); ++n) {
    const std::string name = moved.names[n];
    check(name, two_sample_p(moved.means[n], fresh.means[n]));
    check(name + " squared", two_sample_p(moved.squares[n], fresh.squares[n]));
  }
  check("law of K+", chi_squared_two_sample_p(moved.sizes, fresh.sizes));
}

/// Sets the chain to the state, makes five sweeps, and reads the state back.
inline void five_sweeps(AnySimulation& simulation, Rng& rng, Limits& limits) {
  simulation.set();
  for (int t = 0; t < 5; ++t) {
    simulation.sweep();
    limits.check(simulation.features_of_chain());
  }
  simulation.read(rng);
}

inline void check_steps_from_prior(AnySimulation& simulation, Rng& rng, int replicates) {
  INFO(simulation.name());
  Sample moved, fresh;
  Limits limits(60);
  for (int r = 0; r < replicates; ++r) {
    simulation.draw(rng);
    five_sweeps(simulation, rng, limits);
    moved.add(simulation);
    simulation.draw(rng);
    fresh.add(simulation);
  }
  check_same_law(moved, fresh);
}

/// Five sweeps from a draw of the joint prior must give a draw of the joint prior.
template <class S>
void check_steps_from_prior(const typename S::ModelOf& model) {
  Rng rng(91);
  S simulation(model, model.draw(rng), Rng(92));
  check_steps_from_prior(simulation, rng, scaled(shorter(12000, 20), 10));
}

inline void check_changes(AnySimulation& simulation, Rng& rng, int replicates) {
  INFO(simulation.name());
  const auto names = simulation.values();
  std::vector<Mean> changes(names.size());
  Limits limits(600);
  for (int r = 0; r < replicates; ++r) {
    simulation.draw(rng);
    const auto before = simulation.values();
    five_sweeps(simulation, rng, limits);
    const auto after = simulation.values();
    for (std::size_t n = 0; n < before.size(); ++n)
      changes[n].add(after[n].value - before[n].value);
  }
  for (std::size_t n = 0; n < changes.size(); ++n) {
    INFO(names[n].name);
    CHECK(std::abs(z_score(changes[n].value(), changes[n].variance())) < 5);
  }
}

/// Five sweeps from a draw of the joint prior, with each state compared with the state before its
/// sweeps. This detects smaller errors in a move that changes little.
template <class S>
void check_changes(const typename S::ModelOf& model, int replicates) {
  Rng rng(95);
  S simulation(model, model.draw(rng), Rng(96));
  check_changes(simulation, rng, replicates);
}

inline void check_long_run(AnySimulation& simulation, Rng& rng, int steps) {
  INFO(simulation.name());
  const auto names = simulation.values();
  std::vector<Mean> prior(names.size());
  // Batches must be longer than the autocorrelation time, even if a sanitizer allows few steps.
  std::vector<BatchMean> chain(names.size(), BatchMean(steps, std::min(200, steps / 50)));
  for (int n = 0; n < steps; ++n) {
    simulation.draw(rng);
    const auto values = simulation.values();
    for (std::size_t s = 0; s < values.size(); ++s) prior[s].add(values[s].value);
  }
  Limits limits(60);
  for (int t = 0; t < steps; ++t) {
    simulation.set();
    simulation.sweep();
    limits.check(simulation.features_of_chain());
    simulation.read(rng);
    simulation.draw_data(rng);
    const auto values = simulation.values();
    for (std::size_t s = 0; s < values.size(); ++s) chain[s].add(values[s].value);
  }
  for (std::size_t s = 0; s < prior.size(); ++s) {
    INFO(names[s].name);
    const double z =
        z_score(chain[s].value() - prior[s].value(), chain[s].variance() + prior[s].variance());
    CHECK(std::abs(z) < 5);
  }
}

/// Geweke (2004): alternating sweeps with draws of the data given everything else preserves the
/// joint distribution.
template <class S>
void check_long_run(const typename S::ModelOf& model, int steps = scaled(shorter(200000, 40))) {
  Rng rng(93);
  S simulation(model, model.draw(rng), Rng(94));
  check_long_run(simulation, rng, steps);
}

}  // namespace test
