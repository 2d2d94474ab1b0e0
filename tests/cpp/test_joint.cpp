#include <testthat/vendor/catch.h>

#include "joint.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

/// Means of the statistics and of their squares, and how often each number of features occurs.
struct Sample {
  std::vector<const char*> names;
  std::vector<Mean> means, squares;
  std::vector<double> sizes = std::vector<double>(200, 0);

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
    const std::string name = moved.names[n];
    check(name, two_sample_p(moved.means[n], fresh.means[n]));
    check(name + " squared", two_sample_p(moved.squares[n], fresh.squares[n]));
  }
  check("law of K+", chi_squared_two_sample_p(moved.sizes, fresh.sizes));
}

/// Everything from the prior, then five sweeps: what results is from the prior again.
template <class C>
void check_steps_from_prior(const Model& model) {
  INFO(model.prior.name << (model.hides ? ", entries missing" : ""));
  const int replicates = scaled(12000, 10);
  Rng rng(91);
  Sample moved, fresh;
  SimulationOf<C> chain(model, model.draw(rng), Rng(92));
  Simulation& simulation = chain;
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

/// Geweke (2004): a sweep, then data given all else, and so on: the joint law is the prior's.
template <class C>
void check_long_run(const Model& model) {
  INFO(model.prior.name << (model.hides ? ", entries missing" : ""));
  const int steps = scaled(200000);
  Rng rng(93);
  Joint state = model.draw(rng);
  const auto names = statistics(state, model);
  std::vector<Mean> prior(names.size());
  std::vector<BatchMean> chain(names.size(), BatchMean(steps, 200));
  for (int n = 0; n < steps; ++n) {
    const auto values = statistics(model.draw(rng), model);
    for (std::size_t s = 0; s < values.size(); ++s) prior[s].add(values[s].value);
  }
  SimulationOf<C> of_chain(model, state, Rng(94));
  Simulation& simulation = of_chain;
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

template <class C>
void check_all_steps(Loadings loadings) {
  for (bool hides : {false, true})
    for (const auto& prior : prior_cases())
      check_steps_from_prior<C>({prior, 5, 3, loadings, hides});
}

/// The one-parameter and the finite prior.
template <class C>
void check_long_runs(Loadings loadings) {
  for (bool hides : {false, true})
    for (int n : {0, 3}) check_long_run<C>({prior_cases()[n], 5, 3, loadings, hides});
}

}  // namespace

TEST_CASE("five collapsed sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<Chain>(Loadings::integrated_out);
}
TEST_CASE("five uncollapsed sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<UncollapsedChain>(Loadings::normal);
}
TEST_CASE("five slice sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<SliceChain>(Loadings::normal);
}
TEST_CASE("five sweeps with nonnegative loadings give a draw of the prior") {
  check_all_steps<NonnegativeChain>(Loadings::nonnegative);
}
TEST_CASE("five slice sweeps with nonnegative loadings give a draw of the prior") {
  check_all_steps<NonnegativeSliceChain>(Loadings::nonnegative);
}

TEST_CASE("five sweeps from a draw of the prior do so with more columns than rows") {
  const auto prior = prior_cases()[0];
  check_steps_from_prior<Chain>({prior, 4, 6});
  check_steps_from_prior<UncollapsedChain>({prior, 4, 6, Loadings::normal, true});
}

TEST_CASE("collapsed sweeps and draws of data in turn have the joint law of the prior") {
  check_long_runs<Chain>(Loadings::integrated_out);
  for (int n : {1, 2}) check_long_run<Chain>({prior_cases()[n], 5, 3});
}
TEST_CASE("uncollapsed sweeps and draws of data in turn have the joint law of the prior") {
  check_long_runs<UncollapsedChain>(Loadings::normal);
}
TEST_CASE("slice sweeps and draws of data in turn have the joint law of the prior") {
  check_long_runs<SliceChain>(Loadings::normal);
}
TEST_CASE("nonnegative sweeps and draws of data in turn have the joint law of the prior") {
  check_long_runs<NonnegativeChain>(Loadings::nonnegative);
}
TEST_CASE("nonnegative slice sweeps and draws of data in turn have the joint law of the prior") {
  check_long_runs<NonnegativeSliceChain>(Loadings::nonnegative);
}
