#include <testthat/vendor/catch.h>

#include <functional>

#include "attraction_case.h"
#include "choice_case.h"
#include "resumed.h"
#include "tree_case.h"

using namespace test;

namespace {

/// Two chains with seven rows, for any prior and likelihood, that should become equal.
template <class C>
struct Pair {
  std::function<C(const Features&, Rng)> make;

  /// Each chain starts from one feature.
  C one() const {
    Features z(7);
    for (int i = 0; i < 7; ++i) z.add_own(i);
    return make(z, Rng(41, 2));
  }
  C other() const {
    Rng rng(42);
    C chain = make(random_features(7, 4, rng), Rng(43, 1));
    for (int n = 0; n < 3; ++n) chain.sweep();
    return chain;
  }
};

Phylogenetic tree_prior(Rates rates) {
  Rng rng(44);
  RawTree raw = random_tree(rng, 7, 7);
  for (double& t : raw.lengths) t = 0.1 + 0.5 * t;
  return phylogenetic(raw, Hyper::gamma(3.6, 1.7), rates);
}

const buffet::ChoiceData& choices() {
  static const auto data = [] {
    Rng rng(45);
    return as_choices(random_wins(7, 4, rng));
  }();
  return data;
}

template <class Prior>
auto choice_pair(Prior prior) {
  using C = buffet::Gibbs<Prior, Choice>;
  return Pair<C>{[prior](const Features& z, Rng rng) {
    return C(z, prior, Choice(choices(), {0.3}, WeightPrior(1.7, 0.6)), rng);
  }};
}

Attraction attraction_prior() {
  Rng rng(47);
  const RawAttraction raw = random_attraction(7, rng);
  return attraction(raw, Hyper::gamma(3.6, 1.7), {Hyper::gamma(2, 1), true});
}

template <class Likelihood, class Prior>
auto gaussian_pair(Prior prior) {
  using C = buffet::Gibbs<Prior, Likelihood>;
  static const GaussianCase g = [] {
    Rng rng(46);
    return GaussianCase(7, 3, {0.6, 1.7}, rng);
  }();
  return Pair<C>{[prior](const Features& z, Rng rng) {
    return C(z, prior, Likelihood(g.data, {Hyper::gamma(1.3, 0.7), Hyper::gamma(1.4, 0.8)}), rng);
  }};
}

constexpr auto rates = {Rates::integrated, Rates::sampled};

}  // namespace

TEST_CASE("a restored prior on a tree gives the same odds") {
  Rng rng(48);
  const Features z = random_features(7, 4, rng);
  for (Rates r : rates) {
    Phylogenetic one = tree_prior(r), other = tree_prior(r);
    one.set({2.3});
    one.reset(z, rng);
    transfer(one, other);
    other.follow(z);
    CHECK(other.log_prob(z) == one.log_prob(z));
    for (int i = 0; i < 7; ++i)
      for (int k = 0; k < 4; ++k)
        if (!z.is_own(i, k)) CHECK(other.log_odds(z, i, k) == one.log_odds(z, i, k));
  }
}

TEST_CASE("restored features keep the values that other classes store for them") {
  Rng rng(49);
  Features z = random_features(7, 6, rng), other = random_features(7, 3, rng);
  for (int k : {1, 3}) z.drop(k);
  z.add_own(2);
  transfer(z, other);
  for (int k = 0; k < z.size(); ++k) CHECK(other.tag(k) == z.tag(k));
  CHECK(other.tags() == z.tags());
  z.add_own(4);
  other.add_own(4);
  CHECK(other.tag(other.size() - 1) == z.tag(z.size() - 1));
}

TEST_CASE("a run under a tree resumed from any sweep ends bit-identically") {
  for (Rates r : rates)
    for (bool search : {true, false}) {
      check_resumed(gaussian_pair<buffet::GaussianCollapsed>(tree_prior(r)), search);
      check_resumed(gaussian_pair<buffet::GaussianUncollapsed>(tree_prior(r)), search);
      check_resumed(gaussian_pair<buffet::GaussianColumnNoise>(tree_prior(r)), search);
    }
}

TEST_CASE("a run under attraction resumed from any sweep ends bit-identically") {
  for (bool search : {true, false}) {
    check_resumed(gaussian_pair<buffet::GaussianCollapsed>(attraction_prior()), search);
    check_resumed(gaussian_pair<buffet::GaussianUncollapsed>(attraction_prior()), search);
  }
  check_resumed(choice_pair(attraction_prior()), false);
}

TEST_CASE("a run of choices resumed from any sweep ends bit-identically") {
  check_resumed(choice_pair(Exchangeable(7, {Hyper::gamma(3.6, 1.7)})), false);
  check_resumed(choice_pair(Exchangeable(7, {Hyper::gamma(3.6, 1.7), Hyper::fixed(1.4), 0, 5})),
                false);
  for (Rates r : rates) check_resumed(choice_pair(tree_prior(r)), false);
}
