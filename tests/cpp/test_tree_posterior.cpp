#include <testthat/vendor/catch.h>

#include <limits>

#include "comparison.h"
#include "tree_case.h"

using namespace test;

namespace {

constexpr double alpha = 1.2;
const Scales sigma{0.8, 1.3};

/// The posterior under the prior on a tree with three rows, with rates integrated out numerically.
/// If most > 0, it is conditional on at most this many features.
Enumeration enumerate(int most) {
  const auto rates = column_rates(uneven_tree(3));
  const auto log_class = [rates](const Enumeration::Repeats& repeats) {
    double sum = 0;
    for (int h = 0; h < Enumeration::histories; ++h)
      sum += repeats[h] * std::log(alpha * rates[h + 1]) - std::lgamma(repeats[h] + 1.0);
    return sum;
  };
  return Enumeration(log_class, most, spread_data(), sigma);
}

const Enumeration& enumeration() {
  static const Enumeration made = enumerate(0);
  return made;
}

Phylogenetic prior(Rates rates, int max_features = std::numeric_limits<int>::max()) {
  return phylogenetic(uneven_tree(3), Hyper::fixed(alpha), rates, max_features);
}

template <class C>
void compare(const Enumeration& exact, const Phylogenetic& prior) {
  compare_with_enumeration<C>(exact, exact.chain_of<C>(prior, Features(3), Rng(181)), sweep,
                              scaled(shorter(200000, 20)));
}
template <class C>
void compare(Rates rates) {
  compare<C>(enumeration(), prior(rates));
}

/// Draws a column's pi given that column, by several steps of the chain's own update, which is
/// checked by other tests.
double draw_log_rate(const Bits& column, Rng& rng) {
  const buffet::TreeHistory history(uneven_tree(3).tree(), column);
  double y = -1;
  for (int n = 0; n < 12; ++n)
    y = buffet::slice_sample(
        y, [&](double v) { return history.log_density(v); }, 2.5, rng);
  return y;
}

/// Moves independent draws from the exact posterior once and checks that they still have that
/// posterior; returns the share of draws that the move changed.
double check_invariance(MoveOf<TreeChain> move, Rates rates) {
  const auto& exact = enumeration();
  const auto draw_rest = [&](TreeChain& chain, Rng& rng) {
    std::vector<double> log_rates;
    for (int k = 0; k < chain.z.size(); ++k)
      log_rates.push_back(draw_log_rate(chain.z.column(k), rng));
    if (rates == Rates::sampled) set_state(chain.prior, chain.z, alpha, log_rates);
    chain.likelihood.reset(chain.z);
  };
  const auto follows = [&](const TreeChain& chain) { check_follows(chain, prior(rates), alpha); };
  const Outcome outcome =
      moved_once(exact, exact.chain_of<TreeChain>(prior(rates), Features(3), Rng(183)),
                 scaled(shorter(100000)), Rng(182), draw_rest, move, follows);
  CHECK(outcome.p > 1e-5);
  return outcome.changed;
}

}  // namespace

TEST_CASE("moves of whole columns leave the posterior under a tree invariant") {
  for (Rates rates : {Rates::integrated, Rates::sampled}) {
    INFO((rates == Rates::sampled ? "pi in the state" : "pi integrated out"));
    CHECK(check_invariance(exclusive_or_moves, rates) > 0.1);
    CHECK(check_invariance(split_merge_move, rates) > 0.02);
    CHECK(check_invariance(separate_share_move, rates) > 0.005);
  }
}

TEST_CASE("collapsed sweeps have the posterior under a tree with pi integrated out") {
  compare<TreeChain>(Rates::integrated);
}
TEST_CASE("collapsed sweeps have the posterior under a tree with pi in the state") {
  compare<TreeChain>(Rates::sampled);
}
TEST_CASE("uncollapsed sweeps have the posterior under a tree with pi integrated out") {
  compare<UncollapsedTreeChain>(Rates::integrated);
}
TEST_CASE("uncollapsed sweeps have the posterior under a tree with pi in the state") {
  compare<UncollapsedTreeChain>(Rates::sampled);
}

TEST_CASE("truncated sweeps have the posterior under a tree given the limit on features") {
  const Enumeration exact = enumerate(2);
  for (Rates rates : {Rates::integrated, Rates::sampled}) {
    INFO((rates == Rates::sampled ? "pi in the state" : "pi integrated out"));
    compare<TreeChain>(exact, prior(rates, 2));
    compare<UncollapsedTreeChain>(exact, prior(rates, 2));
  }
}
