#include <testthat/vendor/catch.h>

#include <map>

#include "choice_joint.h"
#include "gibbs/union.h"
#include "joint_checks.h"

using namespace test;

namespace {

/// A simulation of choices that makes only unions and divisions.
template <class C>
struct UnionsAlone : ChoiceSimulated<C> {
  static void sweep(const ChoiceModel&, C& chain) { union_moves(chain); }
};

template <class C>
struct BirthsAlone : ChoiceSimulated<C> {
  static void sweep(const ChoiceModel&, C& chain) { prior_births(chain); }
};

template <class C>
void check_moves(const ChoiceModel& model) {
  check_steps_from_prior<Simulation<UnionsAlone<C>>>(model);
}

ChoiceModel tree_model(Rates rates) {
  return {{"", {}, false}, 4, std::make_shared<TreeProcess>(uneven_tree(4)), rates};
}

}  // namespace

TEST_CASE("parts of a column have the reported probabilities") {
  for (int m : {2, 3, 5}) {
    Bits column(70);
    for (int n = 0; n < m; ++n) column.set(68 - 15 * n);
    const int draws = scaled(40000);
    std::map<Bits, int> seen;
    Rng rng(261);
    for (int n = 0; n < draws; ++n) ++seen[buffet::draw_part(column, rng)];
    REQUIRE(static_cast<int>(seen.size()) == (1 << m) - 2);
    double total = 0;
    for (const auto& [part, times] : seen) {
      const double p = std::exp(buffet::log_prob_of_part(part.count(), m));
      total += p;
      CHECK(column.count_shared(part) == part.count());
      CHECK(std::abs(z_score(times - draws * p, draws * p * (1 - p))) < 4.5);
    }
    CHECK(total == Approx(1));
  }
}

TEST_CASE("pairs without common rows and features with at least two rows are found") {
  Rng rng(262);
  for (int n = 0; n < 50; ++n) {
    const Features z = random_features(3 + 70 * rng.below(2), rng.below(7), rng);
    const Eigen::MatrixXd matrix = dense(z), shared = matrix.transpose() * matrix;
    const auto pairs = buffet::disjoint_pairs(z);
    for (const auto& [k, l] : pairs) CHECK((k != l && shared(k, l) == 0));
    CHECK(static_cast<int>(pairs.size()) == (shared.array() == 0).count());
    CHECK(static_cast<int>(buffet::divisible(z).size()) == (shared.diagonal().array() > 1).count());
  }
}

TEST_CASE("five unions or divisions from a draw of the prior give a draw of the prior") {
  for (const auto& prior : prior_cases()) check_moves<ChoiceChain>({prior, 4});
}
TEST_CASE("five unions or divisions under a tree give a draw of the prior") {
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_moves<TreeChoiceChain>(tree_model(rates));
}

TEST_CASE("five unions or divisions change no mean under a tree with rates in the state") {
  check_changes<Simulation<UnionsAlone<TreeChoiceChain>>>(tree_model(Rates::sampled),
                                                          scaled(shorter(100000, 20), 10));
}

TEST_CASE("unions and divisions occur, and sums and densities follow them") {
  Rng rng(263);
  int united = 0, divided = 0;
  for (int n = 0; n < 200; ++n) {
    const ChoiceState s = ChoiceState::random(rng);
    const auto data = as_choices(s.wins);
    ChoiceChain chain(s.z, Exchangeable(s.z.rows(), {Hyper::fixed(2)}),
                      Choice(data, {s.epsilon}, WeightPrior(1.7, 0.6)), Rng(rng()));
    set_weights(chain.likelihood, s.z, s.w, s.epsilon);
    for (int t = 0; t < 30; ++t) {
      const int before = chain.z.size();
      union_moves(chain);
      united += chain.z.size() < before;
      divided += chain.z.size() > before;
      const auto& w = chain.likelihood.loadings();
      REQUIRE(static_cast<int>(w.size()) == chain.z.size());
      CHECK(chain.likelihood.log_density() ==
            Approx(log_lik(dense(chain.z), w, s.wins, s.epsilon) - data.log_orders() +
                   chain.likelihood.log_hyperprior())
                .margin(1e-8));
    }
  }
  CHECK(united > 100);
  CHECK(divided > 100);
}

TEST_CASE("five births or deaths from the prior turn a draw of the prior into another draw") {
  for (const auto& prior : prior_cases())
    check_steps_from_prior<Simulation<BirthsAlone<ChoiceChain>>>({prior, 4});
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_steps_from_prior<Simulation<BirthsAlone<TreeChoiceChain>>>(tree_model(rates));
}

TEST_CASE("the state of a prior on a tree follows unions, divisions, births and deaths") {
  Rng rng(264);
  int moved = 0;
  for (int n = 0; n < 60; ++n) {
    const ChoiceState s = ChoiceState::random(rng, 4, 4);
    const auto data = as_choices(s.wins);
    const Phylogenetic prior = phylogenetic(uneven_tree(4), Hyper::fixed(1.2), Rates::sampled);
    TreeChoiceChain chain(s.z, prior, Choice(data, {s.epsilon}, WeightPrior(1.7, 0.6)), Rng(rng()));
    set_weights(chain.likelihood, s.z, s.w, s.epsilon);
    for (int t = 0; t < 20; ++t) {
      const int before = chain.z.size();
      t % 2 == 0 ? union_moves(chain) : prior_births(chain);
      if (chain.z.size() == before) continue;
      ++moved;
      check_follows(chain, prior, 1.2);
    }
  }
  CHECK(moved > 50);
}
