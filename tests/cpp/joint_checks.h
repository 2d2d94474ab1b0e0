#pragma once

#include <testthat/vendor/catch.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/rng.h"
#include "scale.h"
#include "statistics.h"

// A model draws all that there is, and data given all else; a simulation is a chain that can be set
// to any of it. Statistics are functions of both.

namespace test {

using buffet::Rng;

/// Means of the statistics and of their squares, and how often each number of features occurs.
struct Sample {
  std::vector<const char*> names;
  std::vector<Mean> means, squares;
  std::vector<double> sizes = std::vector<double>(200, 0);

  template <class Joint, class Model>
  void add(const Joint& state, const Model& model) {
    const auto values = statistics(state, model);
    means.resize(values.size());
    squares.resize(values.size());
    names.clear();
    for (std::size_t n = 0; n < values.size(); ++n) {
      names.push_back(values[n].name);
      means[n].add(values[n].value);
      squares[n].add(values[n].value * values[n].value);
    }
    ++sizes[state.z.size()];
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

/// Everything from the prior, then five sweeps: what results is from the prior again.
template <class Simulation>
void check_steps_from_prior(const typename Simulation::ModelOf& model) {
  INFO(model.name());
  const int replicates = scaled(shorter(12000, 4), 10);
  Rng rng(91);
  Sample moved, fresh;
  Simulation simulation(model, model.draw(rng), Rng(92));
  Limits limits(60);
  for (int r = 0; r < replicates; ++r) {
    simulation.set(model.draw(rng));
    for (int t = 0; t < 5; ++t) {
      simulation.sweep();
      limits.check(simulation.features());
    }
    moved.add(simulation.state(rng), model);
    fresh.add(model.draw(rng), model);
  }
  check_same_law(moved, fresh);
}

/// The same, each state compared with the one before its sweeps, which finds smaller errors of a
/// move that changes little.
template <class Simulation>
void check_changes(const typename Simulation::ModelOf& model, int replicates) {
  INFO(model.name());
  Rng rng(95);
  Simulation simulation(model, model.draw(rng), Rng(96));
  std::vector<const char*> names;
  std::vector<Mean> changes;
  for (int r = 0; r < replicates; ++r) {
    const auto state = model.draw(rng);
    const auto before = statistics(state, model);
    simulation.set(state);
    for (int t = 0; t < 5; ++t) simulation.sweep();
    const auto after = statistics(simulation.state(rng), model);
    changes.resize(before.size());
    names.clear();
    for (std::size_t n = 0; n < before.size(); ++n) {
      names.push_back(before[n].name);
      changes[n].add(after[n].value - before[n].value);
    }
  }
  for (std::size_t n = 0; n < changes.size(); ++n) {
    INFO(names[n]);
    CHECK(std::abs(z_score(changes[n].value(), changes[n].variance())) < 5);
  }
}

/// Geweke (2004): a sweep, then data given all else, and so on: the joint law is the prior's.
template <class Simulation>
void check_long_run(const typename Simulation::ModelOf& model,
                    int steps = scaled(shorter(200000))) {
  INFO(model.name());
  Rng rng(93);
  auto state = model.draw(rng);
  const auto names = statistics(state, model);
  std::vector<Mean> prior(names.size());
  // Batches must be longer than steps are alike, of the few that there are under a sanitizer, too.
  std::vector<BatchMean> chain(names.size(), BatchMean(steps, std::min(200, steps / 50)));
  for (int n = 0; n < steps; ++n) {
    const auto values = statistics(model.draw(rng), model);
    for (std::size_t s = 0; s < values.size(); ++s) prior[s].add(values[s].value);
  }
  Simulation simulation(model, state, Rng(94));
  Limits limits(60);
  for (int t = 0; t < steps; ++t) {
    simulation.sweep();
    limits.check(simulation.features());
    state = simulation.state(rng);
    state.x = model.draw_data(state, rng);
    simulation.set(state);
    const auto values = statistics(state, model);
    for (std::size_t s = 0; s < values.size(); ++s) chain[s].add(values[s].value);
  }
  for (std::size_t s = 0; s < prior.size(); ++s) {
    INFO(names[s].name);
    const double z =
        z_score(chain[s].value() - prior[s].value(), chain[s].variance() + prior[s].variance());
    CHECK(std::abs(z) < 5);
  }
}

}  // namespace test
