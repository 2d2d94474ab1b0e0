#include "joint_checks.h"
#include "laws.h"
#include "mixed_joint.h"

using namespace test;

namespace {

const char* const kinds[] = {"g", "b", "B", "n", "p", "o", "c", "gbBnpoc"};

}  // namespace

TEST_CASE("five sweeps of mixed columns from a draw of the prior give a draw of the prior") {
  for (const char* const& each : kinds)
    for (bool bias : {false, true})
      if (full() || bias == (&each - kinds) % 2)
        check_steps_from_prior<MixedSimulation<MixedChain>>(
            {prior_cases()[0], 4, each, bias, !bias});
}
TEST_CASE("five sweeps of mixed columns give a draw of every prior") {
  for (const auto& prior : prior_cases())
    check_steps_from_prior<MixedSimulation<MixedChain>>({prior, 3, "goc", true, true});
  const auto tree = std::make_shared<TreeProcess>(uneven_tree(4));
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_steps_from_prior<MixedSimulation<TreeMixedChain>>(
        {{"", {}, false}, 4, "gbn", true, false, tree, rates});
}
TEST_CASE("five sweeps of mixed columns under attraction give a draw of the prior") {
  Rng rng(482);
  const auto attraction = std::make_shared<RawAttraction>(random_attraction(4, rng));
  check_steps_from_prior<MixedSimulation<AttractionMixedChain>>(
      {{"", {}, false}, 4, "gbn", true, true, nullptr, Rates::sampled, false, attraction});
}
TEST_CASE("sweeps of mixed columns alternating with draws of data preserve the joint law") {
  const int steps = scaled(shorter(40000));
  for (const char* each : kinds)
    check_long_run<MixedSimulation<MixedChain>>({prior_cases()[0], 4, each, true, true}, steps);
}
