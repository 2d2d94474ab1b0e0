#include <testthat/vendor/catch.h>

#include "joint.h"
#include "joint_checks.h"

using namespace test;

TEST_CASE("five collapsed sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<SimulationOf<Chain>>(Loadings::integrated_out);
}
TEST_CASE("five uncollapsed sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<SimulationOf<UncollapsedChain>>(Loadings::normal);
}
TEST_CASE("five sweeps with noise per column give a draw of the prior") {
  check_all_steps<SimulationOf<ColumnNoiseChain>>(Loadings::normal, true);
}
TEST_CASE("five slice sweeps from a draw of the prior give a draw of the prior") {
  check_all_steps<SimulationOf<SliceChain>>(Loadings::normal);
}
TEST_CASE("five sweeps with nonnegative loadings give a draw of the prior") {
  check_all_steps<SimulationOf<NonnegativeChain>>(Loadings::nonnegative);
}
TEST_CASE("five slice sweeps with nonnegative loadings give a draw of the prior") {
  check_all_steps<SimulationOf<NonnegativeSliceChain>>(Loadings::nonnegative);
}

TEST_CASE("five sweeps with more columns than rows give a draw of the prior") {
  const auto prior = prior_cases()[0];
  check_steps_from_prior<SimulationOf<Chain>>({prior, 4, 6});
  check_steps_from_prior<SimulationOf<UncollapsedChain>>({prior, 4, 6, Loadings::normal, true});
}

TEST_CASE("collapsed sweeps alternating with draws of data preserve the joint law") {
  check_long_runs<SimulationOf<Chain>>(Loadings::integrated_out);
  for (int n : {1, 2}) check_long_run<SimulationOf<Chain>>({prior_cases()[n], 5, 3});
}
TEST_CASE("uncollapsed sweeps alternating with draws of data preserve the joint law") {
  check_long_runs<SimulationOf<UncollapsedChain>>(Loadings::normal);
}
TEST_CASE("sweeps with noise per column alternating with draws of data preserve the joint law") {
  check_long_runs<SimulationOf<ColumnNoiseChain>>(Loadings::normal, true);
}
TEST_CASE("slice sweeps alternating with draws of data preserve the joint law") {
  check_long_runs<SimulationOf<SliceChain>>(Loadings::normal);
}
TEST_CASE("nonnegative sweeps alternating with draws of data preserve the joint law") {
  check_long_runs<SimulationOf<NonnegativeChain>>(Loadings::nonnegative);
}
TEST_CASE("nonnegative slice sweeps alternating with draws of data preserve the joint law") {
  check_long_runs<SimulationOf<NonnegativeSliceChain>>(Loadings::nonnegative);
}
