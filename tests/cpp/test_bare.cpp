#include <testthat/vendor/catch.h>

#include "choice_joint.h"
#include "comparison.h"
#include "factor_joint.h"
#include "joint.h"
#include "joint_checks.h"
#include "logistic_joint.h"
#include "mixed_joint.h"

// Samplers as published, which do not move several entries at once or whole features.

using namespace test;

namespace {

template <class C>
void sweep_bare(C& chain) {
  chain.sweep_bare([] {});
}

template <class C>
void compare(Missing missing, const std::vector<int>& priors, const Scales& sigma = {0.8, 1.3}) {
  for (int n : priors) {
    const PriorCase prior = cases_of<C>()[n];
    INFO(prior.name);
    compare_with_enumeration<C>(Enumeration(prior, spread_data(missing), sigma), sweep_bare,
                                scaled(shorter(200000, 20)));
  }
}

template <class C>
using BareGaussian = Bare<GaussianSimulated<C>>;
template <class C>
using BareLogistic = Bare<LogisticSimulated<C>>;
using BareMixed = Bare<MixedSimulated<MixedChain>>;
using BareChoice = Bare<ChoiceSimulated<ChoiceChain>>;

template <class Law, class Likelihood>
using BareFactor = Bare<FactorSimulated<buffet::Gibbs<Exchangeable, Likelihood>, Law>>;
template <class Law>
FactorModel<Law> factor_model(bool hides) {
  return {prior_cases()[1], 4, 3, NoiseOf::row, hides, !hides};
}

Model gaussian(Loadings loadings, bool hides, bool own_noise = false) {
  Model model{prior_cases()[1], 4, 3, loadings, hides};
  model.own_noise = own_noise;
  return model;
}

}  // namespace

TEST_CASE("plain sweeps have the posterior from an enumeration") {
  compare<Chain>(Missing::none, {0, 2});
  compare<UncollapsedChain>(Missing::none, {1, 3});
  compare<ColumnNoiseChain>(Missing::none, {0, 2}, {0.8, 1.3, {0.5, 1.4}});
}
TEST_CASE("plain sweeps have the posterior given the observed entries") {
  compare<Chain>(Missing::two_entries, {1});
  compare<UncollapsedChain>(Missing::two_entries, {0});
  compare<ColumnNoiseChain>(Missing::two_entries, {3}, {0.8, 1.3, {0.5, 1.4}});
}

TEST_CASE("plain sweeps draw the loadings of existing features") {
  const Enumeration exact(cases_of<ColumnNoiseChain>()[0], spread_data(Missing::none),
                          {0.8, 1.3, {0.5, 1.4}});
  Features held_by_all(3);
  buffet::Bits all(3);
  for (int i = 0; i < 3; ++i) all.set(i);
  held_by_all.add(all);
  auto chain = exact.chain<ColumnNoiseChain>(held_by_all, Rng(71));
  int stayed = 0;
  for (int t = 0; t < 100; ++t) {
    const Features z = chain.z;
    const Eigen::MatrixXd before = chain.likelihood.weights();
    sweep_bare(chain);
    if (z.size() == 0 || chain.z.size() != z.size() || z.count(0) < 2 ||
        !(chain.z.column(0) == z.column(0)))
      continue;
    ++stayed;
    CHECK(chain.likelihood.weights()(0, 0) != before(0, 0));
  }
  CHECK(stayed > 10);
}

TEST_CASE("five plain sweeps from a draw of the prior give a draw of the prior") {
  for (bool hides : {false, true}) {
    check_steps_from_prior<BareGaussian<Chain>>(gaussian(Loadings::integrated_out, hides));
    check_steps_from_prior<BareGaussian<UncollapsedChain>>(gaussian(Loadings::normal, hides));
    check_steps_from_prior<BareGaussian<NonnegativeChain>>(gaussian(Loadings::nonnegative, hides));
    check_steps_from_prior<BareGaussian<ColumnNoiseChain>>(gaussian(Loadings::normal, hides, true));
  }
  check_steps_from_prior<BareChoice>({prior_cases()[2], 4});
}
TEST_CASE("five plain sweeps of binary and mixed columns give a draw of the prior") {
  check_steps_from_prior<BareLogistic<LogisticChain>>({prior_cases()[0], 4, 3, true, true});
  check_steps_from_prior<BareLogistic<NealChain>>({prior_cases()[1], 4, 3, false, true});
  check_steps_from_prior<BareMixed>({prior_cases()[0], 4, "gbBnpoc", true, true});
}
TEST_CASE("five plain sweeps of weighted features give a draw of the prior") {
  for (bool hides : {false, true}) {
    check_steps_from_prior<BareFactor<buffet::NormalWeight, buffet::WeightsJointly>>(
        factor_model<buffet::NormalWeight>(hides));
    check_steps_from_prior<BareFactor<buffet::LaplaceWeight, buffet::LaplaceFeatures>>(
        factor_model<buffet::LaplaceWeight>(hides));
  }
}

TEST_CASE("plain sweeps alternating with draws of data preserve the joint law") {
  const int steps = scaled(shorter(40000));
  check_long_run<BareGaussian<NonnegativeChain>>(gaussian(Loadings::nonnegative, true), steps);
  check_long_run<BareLogistic<LogisticChain>>({prior_cases()[0], 4, 3, true, true}, steps);
  check_long_run<BareMixed>({prior_cases()[0], 4, "goc", true, true}, steps);
  check_long_run<BareFactor<buffet::NormalWeight, buffet::WeightsJointly>>(
      factor_model<buffet::NormalWeight>(true), steps);
  check_long_run<BareChoice>({prior_cases()[1], 4}, steps);
}
