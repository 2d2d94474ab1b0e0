#include "choice_case.h"
#include "damaged.h"
#include "factor_joint.h"
#include "logistic_case.h"
#include "mixed_joint.h"
#include "moves.h"
#include "nmf/nmf_gibbs.h"
#include "nmf_case.h"
#include "tree_case.h"

using namespace test;
using buffet::Gibbs;

namespace {

constexpr int rows = 4;

/// Everything learned, and few features.
Exchangeable small_prior() {
  return Exchangeable(rows, {Hyper::gamma(2.7, 1.6), Hyper::gamma(1.7, 1.2), 0, 0, 6});
}
Phylogenetic small_tree(Rates rates) {
  Rng rng(371);
  RawTree raw = random_tree(rng, rows, rows);
  for (double& t : raw.lengths) t = 0.1 + 0.5 * t;
  return phylogenetic(raw, Hyper::gamma(2.6, 1.7), rates, 6);
}
Features small_features() {
  Rng rng(372);
  return random_features(rows, 2, rng);
}

/// A chain after some sweeps.
template <class Chain, class Sweep>
void check_chain(Chain chain, Sweep sweep) {
  const auto go = [&](Chain& of) {
    for (int t = 0; t < 3; ++t) {
      of.rng.begin(t);
      sweep(of);
    }
    of.scalars();
  };
  go(chain);
  check_goes_on(
      buffet::to_bytes(chain), [&] { return chain; }, go);
}

/// One whose sweeps are compiled in moves.cpp.
template <class Chain>
void check_moved_chain(const Chain& chain) {
  check_chain(chain, [](Chain& of) { test::sweep(of); });
}
template <class Chain>
void check_swept_chain(const Chain& chain) {
  check_chain(chain, [](Chain& of) { of.sweep([] {}); });
}

const BinaryData& binary_data() {
  static const BinaryData data = [] {
    Rng rng(373);
    return as_binary(with_missing(draw_binary(draw_normal(rows, 2, 1, rng), rng), 0.15, rng));
  }();
  return data;
}
template <class Chain, class Prior>
void check_logistic(const Prior& prior) {
  const LogisticScales scales{Hyper::gamma(2.6, 3.7), Hyper::gamma(3.1, 2.2), true};
  check_moved_chain(Chain(small_features(), prior, {binary_data(), scales}, Rng(374)));
}

template <class Chain, class Prior>
void check_choices(const Prior& prior) {
  Rng rng(375);
  const buffet::ChoiceData data = as_choices(random_wins(rows, 4, rng));
  check_moved_chain(
      Chain(small_features(), prior, Choice(data, {0.3}, WeightPrior(1.7, 0.6)), Rng(376)));
}

const buffet::GaussianData& normal_data() {
  static const buffet::GaussianData data = [] {
    Rng rng(377);
    return buffet::GaussianData(
        Eigen::MatrixXd(with_missing(draw_normal(2, rows, 1.5, rng), 0.15, rng)));
  }();
  return data;
}
template <class Likelihood>
void check_factors(buffet::NoiseOf of, bool local) {
  using Chain = Gibbs<Exchangeable, Likelihood>;
  const buffet::FactorNoise noise(rows, 2, of, Hyper::gamma(4.2, 1.7));
  check_swept_chain(Chain(small_features(), small_prior(),
                          {normal_data(), noise, {Hyper::gamma(5.1, 3.3), local}}, Rng(378)));
}

}  // namespace

TEST_CASE("states of logistic chains that are cut or altered are refused or go on") {
  check_logistic<LogisticChain>(small_prior());
  check_logistic<NealChain>(small_prior());
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_logistic<TreeLogisticChain>(small_tree(rates));
}

TEST_CASE("states of chains of choices that are cut or altered are refused or go on") {
  check_choices<ChoiceChain>(small_prior());
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_choices<TreeChoiceChain>(small_tree(rates));
}

TEST_CASE("states of chains of mixed columns that are cut or altered are refused or go on") {
  const buffet::Families families = families_of("gbnoc", true);
  Eigen::MatrixXd x(5, rows);
  x << 0.3, -1.2, 0.8, 1.9, 1, 0, 0, 1, 3, 0, 1, 6, 0, 3, 1, 2, 2, 0, 1, 1;
  x(0, 1) = x(3, 2) = NAN;
  const MixedData data(x, families);
  const LogisticScales scales{Hyper::gamma(4.6, 3.7), Hyper::gamma(5.1, 2.2), true};
  check_swept_chain(
      MixedChain(small_features(), small_prior(), {data, families, scales}, Rng(379)));
}

TEST_CASE("states of chains of factors that are cut or altered are refused or go on") {
  check_factors<buffet::WeightsJointly>(buffet::NoiseOf::row, true);
  check_factors<buffet::WeightsSingly<buffet::NonnegativeWeight>>(buffet::NoiseOf::column, false);
  check_factors<buffet::LaplaceFeatures>(buffet::NoiseOf::all, true);
}

TEST_CASE("states of chains of factorisations that are cut or altered are refused or go on") {
  Rng rng(380);
  const Eigen::MatrixXd x = with_missing(draw_exponential(rows, 3, 1, rng), 0.15, rng);
  const NmfData data = nmf_data(x);
  buffet::NmfGibbs chain(data, nmf_model(2), Rng(381));
  chain.likelihood.start({}, chain.rng);
  check_swept_chain(chain);
}
