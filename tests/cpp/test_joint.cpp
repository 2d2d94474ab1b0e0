#include <testthat/vendor/catch.h>

#include "joint.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

/// Means of the statistics and of their squares, and how often each number of features occurs.
struct Sample {
  std::vector<Mean> means, squares;
  std::vector<double> sizes = std::vector<double>(200, 0);

  Sample() : means(statistic_names().size()), squares(statistic_names().size()) {}

  void add(const Joint& state) {
    const auto values = statistics(state);
    for (std::size_t n = 0; n < values.size(); ++n) {
      means[n].add(values[n]);
      squares[n].add(values[n] * values[n]);
    }
    ++sizes[state.z.size()];
  }
};

double two_sample_p(const Mean& a, const Mean& b) {
  return normal_p(z_score(a.value() - b.value(), a.variance() + b.variance()));
}

void check_same_law(const Sample& moved, const Sample& fresh) {
  const double tests = 2.0 * moved.means.size() + 1;
  const auto check = [&](const std::string& name, double p) {
    INFO(name);
    const double adjusted_p = std::min(1.0, tests * p);
    CHECK(adjusted_p > 1e-5);
  };
  for (std::size_t n = 0; n < moved.means.size(); ++n) {
    const auto& name = statistic_names()[n];
    check(name, two_sample_p(moved.means[n], fresh.means[n]));
    check(name + " squared", two_sample_p(moved.squares[n], fresh.squares[n]));
  }
  check("law of K+", chi_squared_two_sample_p(moved.sizes, fresh.sizes));
}

/// Parameters, Z and X from the prior, then five sweeps: what results is from the prior again.
void check_steps_from_prior(const Model& model) {
  INFO(model.prior.name);
  const int replicates = scaled(16000, 10);
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
    moved.add(simulation.state());
    fresh.add(model.draw(rng));
  }
  check_same_law(moved, fresh);
}

/// Geweke (2004): a sweep, then data given all else, and so on: the joint law is the prior's.
void check_long_run(const Model& model) {
  INFO(model.prior.name);
  const int steps = scaled(200000);
  Rng rng(93);
  std::vector<Mean> prior(statistic_names().size());
  std::vector<BatchMean> chain(prior.size(), BatchMean(steps, 200));
  for (int n = 0; n < steps; ++n) {
    const auto values = statistics(model.draw(rng));
    for (std::size_t s = 0; s < values.size(); ++s) prior[s].add(values[s]);
  }
  Joint state = model.draw(rng);
  Simulation simulation(model, state, Rng(94));
  Limits limits(60);
  for (int t = 0; t < steps; ++t) {
    simulation.sweep();
    limits.check(simulation.features());
    state = simulation.state();
    state.x = draw_data(state.z, model.columns, state.sigma, rng);
    simulation.set(state);
    const auto values = statistics(state);
    for (std::size_t s = 0; s < values.size(); ++s) chain[s].add(values[s]);
  }
  for (std::size_t s = 0; s < prior.size(); ++s) {
    INFO(statistic_names()[s]);
    const double z =
        z_score(chain[s].value() - prior[s].value(), chain[s].variance() + prior[s].variance());
    CHECK(std::abs(z) < 5);
  }
}

}  // namespace

TEST_CASE("five sweeps from a draw of the prior give a draw of the prior") {
  for (const auto& prior : prior_cases()) check_steps_from_prior({prior, 5, 3});
}

TEST_CASE("five sweeps from a draw of the prior do so with more columns than rows") {
  check_steps_from_prior({prior_cases()[0], 4, 6});
}

TEST_CASE("sweeps and draws of data in turn have the joint law of the prior") {
  for (const auto& prior : prior_cases()) check_long_run({prior, 5, 3});
}
