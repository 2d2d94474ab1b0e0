#include <testthat/vendor/catch.h>

#include "attraction_case.h"
#include "comparison.h"
#include "gibbs/start.h"

using namespace test;

namespace {

constexpr double alpha = 1.2;
const Scales sigma{0.8, 1.3};
const Learned nothing, everything{Hyper::gamma(2, 0.8), true};

Enumeration enumerate(const Learned& learned) {
  const MixedRates rates(three_rows(), learned);
  const auto log_class = [rates](const Enumeration::Repeats& repeats) {
    return rates.log_class(alpha, repeats);
  };
  const bool ends = learned.max_features < 100;
  return Enumeration(log_class, ends ? learned.max_features : 0, spread_data(), sigma);
}

Attraction prior(const Learned& learned) {
  return attraction(three_rows(), Hyper::fixed(alpha), learned);
}

template <class C>
void compare(const Learned& learned) {
  const Enumeration exact = enumerate(learned);
  compare_with_enumeration<C>(exact, exact.chain_of<C>(prior(learned), Features(3), Rng(471)),
                              sweep, scaled(shorter(200000, 20)));
}

/// Moves independent draws from the exact posterior once and checks that they still have that
/// posterior; returns the share of draws that the move changed.
double check_invariance(MoveOf<AttractionChain> move) {
  const Enumeration exact = enumerate(nothing);
  const auto draw_rest = [](AttractionChain& chain, Rng&) { chain.reset(); };
  const auto follows = [](const AttractionChain& chain) { check_follows(chain.z, chain.prior); };
  const Outcome outcome =
      moved_once(exact, exact.chain_of<AttractionChain>(prior(nothing), Features(3), Rng(473)),
                 scaled(shorter(100000)), Rng(472), draw_rest, move, follows);
  CHECK(outcome.p > 1e-5);
  return outcome.changed;
}

}  // namespace

TEST_CASE("moves of whole columns leave the posterior under attraction invariant") {
  CHECK(check_invariance(exclusive_or_moves) > 0.1);
  CHECK(check_invariance(split_merge_move) > 0.02);
  CHECK(check_invariance(separate_share_move) > 0.02);
}

TEST_CASE("sweeps have the posterior under attraction with given temperature and order") {
  compare<AttractionChain>(nothing);
  compare<UncollapsedAttractionChain>(nothing);
}
TEST_CASE("sweeps have the posterior under attraction with sampled temperature and order") {
  compare<AttractionChain>(everything);
  compare<UncollapsedAttractionChain>(everything);
  compare<AttractionChain>({Hyper::fixed(1), true});
}

TEST_CASE("chains store the columns of many rows") {
  Rng rng(475);
  const RawAttraction raw = random_attraction(20, rng);
  const GaussianCase g(20, 5, {0.6, 1.7}, rng);
  for (bool order : {false, true}) {
    AttractionChain chain(Features(20), attraction(raw, Hyper::fixed(2), {Hyper::fixed(1), order}),
                          {g.data, {Hyper::fixed(4), Hyper::fixed(1)}}, rng);
    int most = 0;
    for (int n = 0; n < 200; ++n) {
      chain.sweep();
      check_follows(chain.z, chain.prior);
      most = std::max(most, chain.z.size());
    }
    CHECK(most > 5);
  }
}

TEST_CASE("chains start at the given temperature") {
  Rng rng(474);
  const RawAttraction raw = random_attraction(8, rng);
  const GaussianCase g(8, 3, {0.6, 1.7}, rng);
  const Learned learned{Hyper::gamma(2, 1)};
  AttractionChain chain(Features(8), attraction(raw, Hyper::fixed(1), learned),
                        {g.data, {Hyper::fixed(1), Hyper::fixed(1)}}, rng);
  buffet::put(chain, random_features(8, 4, rng), {{}, {{"temperature", 3.5}}});
  CHECK(chain.prior.temperature() == 3.5);
  check_follows(chain.z, chain.prior);
}

TEST_CASE("truncated sweeps have the posterior under attraction given the limit on features") {
  compare<AttractionChain>({Hyper::fixed(1), false, 2});
  compare<UncollapsedAttractionChain>({Hyper::gamma(2, 0.8), true, 2});
}
