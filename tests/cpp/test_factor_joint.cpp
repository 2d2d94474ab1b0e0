#include <testthat/vendor/catch.h>

#include "factor_joint.h"
#include "joint_checks.h"

using namespace test;
using buffet::CountWeight;
using buffet::Exchangeable;
using buffet::Gibbs;
using buffet::LaplaceFeatures;
using buffet::LaplaceWeight;
using buffet::NonnegativeWeight;
using buffet::NormalWeight;
using buffet::WeightsJointly;
using buffet::WeightsSingly;

namespace {

using Jointly = Gibbs<Exchangeable, WeightsJointly>;
using Laplace = Gibbs<Exchangeable, LaplaceFeatures>;
template <class Law>
using Singly = Gibbs<Exchangeable, WeightsSingly<Law>>;

template <class Law>
FactorModel<Law> model(NoiseOf noise, bool hides = false, int prior = 1, bool local = false) {
  return {prior_cases()[prior], 4, 3, noise, hides, local};
}

/// Calls f(noise, hides) for all combinations; in the quick tier, for half of them.
template <class F>
void for_noises(F f) {
  for (NoiseOf noise : {NoiseOf::all, NoiseOf::row, NoiseOf::column})
    for (bool hides : {false, true})
      if (full() || hides == (noise == NoiseOf::row)) f(noise, hides);
}

/// Only rotations.
struct RotationsAlone : FactorSimulated<Jointly, NormalWeight> {
  static void sweep(const Problem&, Jointly& chain) { buffet::RotatePairs::run(chain); }
};

/// Only bits with loadings integrated out, for features with few rows or for all features.
template <class C, class Law>
struct RevisitsAlone : FactorSimulated<C, Law> {
  static void sweep(const FactorModel<Law>&, C& chain) {
    chain.likelihood.revisit(chain.z, chain.prior, chain.rng);
  }
};
template <class C, class Law>
void check_revisits() {
  for_noises([](NoiseOf noise, bool hides) {
    if (noise != NoiseOf::all)
      check_steps_from_prior<Simulation<RevisitsAlone<C, Law>>>(model<Law>(noise, hides, 1, hides));
  });
}

template <class C, class Law>
void check_changes_of_revisits(bool hides = false) {
  check_changes<Simulation<RevisitsAlone<C, Law>>>(
      {prior_cases()[1], 3, 2, NoiseOf::row, hides, true}, scaled(shorter(400000, 40)));
}

template <class C, class Law>
void check_steps() {
  for_noises([](NoiseOf noise, bool hides) {
    check_steps_from_prior<FactorSimulation<C, Law>>(model<Law>(noise, hides, 1, !hides));
  });
}

}  // namespace

TEST_CASE("five sweeps of normal weights drawn jointly give a draw of the prior") {
  check_steps<Jointly, NormalWeight>();
  for (int prior : {0, 2, 3})
    check_steps_from_prior<FactorSimulation<Jointly, NormalWeight>>(
        model<NormalWeight>(NoiseOf::row, true, prior));
}
TEST_CASE("five sweeps of normal weights under a tree give a draw of the prior") {
  for (NoiseOf noise : {NoiseOf::row, NoiseOf::column}) {
    FactorModel<NormalWeight> on_tree = model<NormalWeight>(noise);
    on_tree.tree = std::make_shared<TreeProcess>(uneven_tree(4));
    check_steps_from_prior<FactorSimulation<Gibbs<Phylogenetic, WeightsJointly>, NormalWeight>>(
        on_tree);
  }
}
TEST_CASE("five sweeps of normal weights under attraction give a draw of the prior") {
  FactorModel<NormalWeight> attracted = model<NormalWeight>(NoiseOf::row);
  Rng rng(481);
  attracted.attraction = std::make_shared<RawAttraction>(random_attraction(attracted.rows, rng));
  check_steps_from_prior<FactorSimulation<Gibbs<Attraction, WeightsJointly>, NormalWeight>>(
      attracted);
}
TEST_CASE("five rounds of rotations alone give a draw of the prior") {
  for_noises([](NoiseOf noise, bool hides) {
    if (noise != NoiseOf::all)
      check_steps_from_prior<Simulation<RotationsAlone>>(
          model<NormalWeight>(noise, hides, 1, hides));
  });
  // If many rows have both features, the proposal distribution of angles is not uniform.
  for (bool local : {false, true})
    check_steps_from_prior<Simulation<RotationsAlone>>(
        {prior_cases()[1], 14, 4, NoiseOf::all, false, local});
}
TEST_CASE("five rounds of bits with loadings integrated out give a draw of the prior") {
  check_revisits<Jointly, NormalWeight>();
  check_revisits<Singly<NonnegativeWeight>, NonnegativeWeight>();
  check_revisits<Laplace, LaplaceWeight>();
  check_revisits<Singly<CountWeight>, CountWeight>();
}
TEST_CASE("bits with loadings integrated out and rotations alone preserve the means of the prior") {
  for (bool hides : {false, true}) check_changes_of_revisits<Jointly, NormalWeight>(hides);
  check_changes_of_revisits<Laplace, LaplaceWeight>();
  check_changes<Simulation<RotationsAlone>>({prior_cases()[1], 4, 3, NoiseOf::row, false, true},
                                            scaled(shorter(100000, 40)));
}
TEST_CASE("sweeps of two rows with many singletons preserve the means of the prior") {
  check_changes<FactorSimulation<Jointly, NormalWeight>>(
      {prior_cases()[1], 2, 3, NoiseOf::all, false, true}, scaled(shorter(400000, 40)));
}
TEST_CASE("five sweeps of normal weights drawn one by one give a draw of the prior") {
  check_steps<Singly<NormalWeight>, NormalWeight>();
}
TEST_CASE("five sweeps of nonnegative weights give a draw of the prior") {
  check_steps<Singly<NonnegativeWeight>, NonnegativeWeight>();
}
TEST_CASE("five sweeps of Laplace weights give a draw of the prior") {
  check_steps<Laplace, LaplaceWeight>();
}
TEST_CASE("five sweeps of counts as weights give a draw of the prior") {
  check_steps<Singly<CountWeight>, CountWeight>();
}

TEST_CASE("sweeps of weighted features alternating with draws of data preserve the joint law") {
  check_long_run<FactorSimulation<Jointly, NormalWeight>>(model<NormalWeight>(NoiseOf::row, true));
  check_long_run<FactorSimulation<Jointly, NormalWeight>>(
      model<NormalWeight>(NoiseOf::column, false, 1, true));
  check_long_run<FactorSimulation<Laplace, LaplaceWeight>>(model<LaplaceWeight>(NoiseOf::column));
}
