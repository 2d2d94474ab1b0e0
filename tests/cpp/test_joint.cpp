#include <testthat/vendor/catch.h>

#include "joint.h"
#include "joint_checks.h"

using namespace test;

namespace {

/// Of five rows of three columns.
template <class C>
Model model(int prior, Loadings loadings, bool hides) {
  Model model{prior_cases()[prior], 5, 3, loadings, hides};
  model.own_noise = std::is_same_v<C, ColumnNoiseChain>;
  return model;
}

template <class C>
void check_all_steps(Loadings loadings) {
  for (bool hides : {false, true})
    for (int n : {0, 1, 2, 3})
      check_steps_from_prior<SimulationOf<C>>(model<C>(n, loadings, hides));
}

/// The one-parameter and the finite prior.
template <class C>
void check_long_runs(Loadings loadings) {
  for (bool hides : {false, true})
    for (int n : {0, 3}) check_long_run<SimulationOf<C>>(model<C>(n, loadings, hides));
}

}  // namespace

TEST_CASE("five collapsed sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<Chain>(Loadings::integrated_out);
}
TEST_CASE("five uncollapsed sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<UncollapsedChain>(Loadings::normal);
}
TEST_CASE("five sweeps with the noise of each column give a draw of the prior") {
  check_all_steps<ColumnNoiseChain>(Loadings::normal);
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
  check_steps_from_prior<SimulationOf<Chain>>({prior, 4, 6});
  check_steps_from_prior<SimulationOf<UncollapsedChain>>({prior, 4, 6, Loadings::normal, true});
}

TEST_CASE("collapsed sweeps and draws of data in turn have the joint law of the prior") {
  check_long_runs<Chain>(Loadings::integrated_out);
  for (int n : {1, 2}) check_long_run<SimulationOf<Chain>>({prior_cases()[n], 5, 3});
}
TEST_CASE("uncollapsed sweeps and draws of data in turn have the joint law of the prior") {
  check_long_runs<UncollapsedChain>(Loadings::normal);
}
TEST_CASE(
    "sweeps with the noise of each column and draws of data have the joint law of the prior") {
  check_long_runs<ColumnNoiseChain>(Loadings::normal);
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
