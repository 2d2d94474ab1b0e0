#include "joint_checks.h"
#include "laws.h"
#include "logistic_joint.h"

using namespace test;

namespace {

LogisticModel tree_model(Rates rates, bool bias) {
  const auto tree = std::make_shared<TreeProcess>(uneven_tree(4));
  return {{"", {}, false}, 4, 3, bias, !bias, false, tree, rates};
}

}  // namespace

TEST_CASE("five logistic sweeps from a draw of the prior give a draw of the prior") {
  bool bias = false;
  for (const auto& prior : prior_cases())
    check_steps_from_prior<LogisticSimulation<LogisticChain>>({prior, 4, 3, bias = !bias, bias});
}
TEST_CASE("five logistic sweeps that learn the scales give a draw of the prior") {
  check_steps_from_prior<LogisticSimulation<LogisticChain>>(
      {prior_cases()[0], 2, 2, true, false, true});
}
TEST_CASE("five sweeps that propose singletons from the prior give a draw of the prior") {
  bool bias = true;
  for (const auto& prior : prior_cases())
    check_steps_from_prior<LogisticSimulation<NealChain>>({prior, 4, 3, bias = !bias, bias, bias});
}
TEST_CASE("five logistic sweeps under a tree give a draw of the prior") {
  for (Rates rates : {Rates::integrated, Rates::sampled})
    for (bool bias : {false, true})
      check_steps_from_prior<LogisticSimulation<TreeLogisticChain>>(tree_model(rates, bias));
  check_steps_from_prior<LogisticSimulation<TreeNealChain>>(tree_model(Rates::sampled, true));
}

TEST_CASE("logistic sweeps alternating with draws of data preserve the joint law") {
  const int steps = scaled(shorter(40000));
  for (int n : {1, 3})
    check_long_run<LogisticSimulation<LogisticChain>>({prior_cases()[n], 4, 3, n == 1, n == 3},
                                                      steps);
  check_long_run<LogisticSimulation<LogisticChain>>({prior_cases()[0], 2, 2, true, false, true},
                                                    steps / 2);
  check_long_run<LogisticSimulation<NealChain>>({prior_cases()[2], 4, 3, true, false, true}, steps);
}
TEST_CASE("logistic sweeps under a tree alternating with draws of data preserve the joint law") {
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_long_run<LogisticSimulation<TreeLogisticChain>>(
        tree_model(rates, rates == Rates::integrated), scaled(shorter(40000)));
}
