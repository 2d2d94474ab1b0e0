#include <testthat/vendor/catch.h>

#include "comparison.h"
#include "joint_checks.h"
#include "shared_case.h"

using namespace test;

namespace {

constexpr int one_parameter = 0, two_parameter = 1, finite_columns = 3;

using Step = MoveOf<SharedNormalChain>;

void compare(
    Missing missing, const std::vector<int>& priors, int max_features = 0,
    Step step = [](SharedNormalChain& c) { c.sweep(); }) {
  for (int n : priors) {
    PriorCase prior = cases_of<SharedNormalChain>()[n];
    if (max_features > 0) prior.max_features = max_features;
    INFO(prior.name << ", at most " << prior.most());
    const Scales sigma{0.8, 1.3};
    const Enumeration exact(prior, spread_data(missing), sigma);
    const InBlocks data(exact.x());
    auto chain =
        shared_chain<SharedNormalChain>(data, prior.spec(), fixed_precisions(sigma), Rng(71));
    chain.reset();
    compare_with_enumeration<SharedNormalChain>(exact, std::move(chain), step,
                                                scaled(shorter(200000, 20)));
  }
}

template <class C>
using SharedSimulation = Simulation<SharedSimulated<C>>;

}  // namespace

TEST_CASE("sweeps of independent rows have the posterior from an enumeration") {
  compare(Missing::none, {0, 1, 2, 3});
}
TEST_CASE("sweeps of independent rows have the posterior given the observed entries") {
  compare(Missing::two_entries, {0, 1, 2, 3});
  compare(Missing::row, {one_parameter, finite_columns});
  compare(Missing::column, {two_parameter});
}
TEST_CASE("sweeps of independent rows have the posterior given the limit on features") {
  compare(Missing::none, {0, 1, 2, 3}, 3);
}

TEST_CASE("plain sweeps of independent rows have the posterior from an enumeration") {
  compare(Missing::none, {one_parameter, finite_columns}, 0,
          [](SharedNormalChain& c) { c.sweep_bare([] {}); });
}

TEST_CASE("five sweeps of independent rows from a draw of the prior give a draw of the prior") {
  check_all_steps<SharedSimulation<SharedNormalChain>>(Loadings::normal);
}
TEST_CASE("five sweeps of independent rows with nonnegative loadings give a draw of the prior") {
  check_all_steps<SharedSimulation<SharedNonnegativeChain>>(Loadings::nonnegative);
}
TEST_CASE(
    "plain sweeps of nonnegative loadings alternating with draws of data preserve the joint law") {
  check_long_run<Bare<SharedSimulated<SharedNonnegativeChain>>>(
      {prior_cases()[0], 5, 3, Loadings::nonnegative});
}
TEST_CASE("sweeps of independent rows alternating with draws of data preserve the joint law") {
  check_long_runs<SharedSimulation<SharedNormalChain>>(Loadings::normal);
}
TEST_CASE("nonnegative sweeps of independent rows and draws of data preserve the joint law") {
  check_long_runs<SharedSimulation<SharedNonnegativeChain>>(Loadings::nonnegative);
}
