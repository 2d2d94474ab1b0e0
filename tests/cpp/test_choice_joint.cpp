#include <testthat/vendor/catch.h>

#include "choice_joint.h"
#include "joint_checks.h"

using namespace test;

namespace {

ChoiceModel tree_model(Rates rates) {
  return {{"", {}, false}, 4, std::make_shared<TreeProcess>(uneven_tree(4)), rates};
}

}  // namespace

TEST_CASE("five sweeps of choices from a draw of the prior give a draw of the prior") {
  for (const auto& prior : prior_cases())
    check_steps_from_prior<ChoiceSimulation<ChoiceChain>>({prior, 4});
}
TEST_CASE("five sweeps of choices under a tree give a draw of the prior") {
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_steps_from_prior<ChoiceSimulation<TreeChoiceChain>>(tree_model(rates));
}

TEST_CASE("sweeps of choices and draws of choices in turn have the joint law of the prior") {
  for (int n : {1, 3}) check_long_run<ChoiceSimulation<ChoiceChain>>({prior_cases()[n], 4});
}
TEST_CASE("sweeps and draws of choices under a tree have the joint law of the prior") {
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_long_run<ChoiceSimulation<TreeChoiceChain>>(tree_model(rates));
}
