#include <testthat/vendor/catch.h>

#include "joint.h"
#include "joint_checks.h"

using namespace test;

namespace {

/// A Gaussian model of five rows on a tree.
Model model(Loadings loadings, Rates rates, bool hides = false) {
  const auto tree = std::make_shared<TreeProcess>(uneven_tree(5));
  return {{"", {}, false}, 5, 3, loadings, hides, tree, rates};
}

}  // namespace

// With exclusive-or, split and merge among the moves.
TEST_CASE("five collapsed sweeps under a tree give a draw of the prior, pi in the state") {
  for (bool hides : {false, true})
    check_steps_from_prior<SimulationOf<TreeChain>>(
        model(Loadings::integrated_out, Rates::sampled, hides));
}
TEST_CASE("five collapsed sweeps under a tree give a draw of the prior, pi integrated out") {
  check_steps_from_prior<SimulationOf<TreeChain>>(
      model(Loadings::integrated_out, Rates::integrated));
}
TEST_CASE("five uncollapsed sweeps under a tree give a draw of the prior") {
  check_steps_from_prior<SimulationOf<UncollapsedTreeChain>>(
      model(Loadings::normal, Rates::sampled, true));
}

TEST_CASE("five sweeps under a tree with the noise of each column give a draw of the prior") {
  Model noisy = model(Loadings::normal, Rates::sampled, true);
  noisy.own_noise = true;
  check_steps_from_prior<SimulationOf<ColumnNoiseTreeChain>>(noisy);
}

TEST_CASE("collapsed sweeps under a tree and draws of data have the joint law of the prior") {
  for (Rates rates : {Rates::sampled, Rates::integrated})
    check_long_run<SimulationOf<TreeChain>>(model(Loadings::integrated_out, rates),
                                            scaled(shorter(100000)));
}
TEST_CASE("uncollapsed sweeps under a tree and draws of data have the joint law of the prior") {
  check_long_run<SimulationOf<UncollapsedTreeChain>>(model(Loadings::normal, Rates::sampled),
                                                     scaled(shorter(100000)));
}
