#include <testthat/vendor/catch.h>

#include "enumerate.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

struct Outcome {
  double p = 1;        ///< that the states after the move have the posterior
  double changed = 0;  ///< fraction of draws that the move changed
};

/// Independent draws from the exact posterior, each moved once, must have that posterior again.
Outcome invariance(const Enumeration& exact, Move move) {
  const int draws = scaled(200000);
  std::vector<double> seen(exact.size(), 0), expected(exact.size());
  Rng rng(81);
  Limits limits(20);
  int changed = 0;
  Chain chain = exact.chain(Features(3), Rng(82));
  for (int n = 0; n < draws; ++n) {
    const int before = exact.draw(rng);
    chain.z = exact.matrix(before);
    chain.likelihood.reset(chain.z);
    move(chain);
    limits.check(chain.z.size());
    const int after = exact.index_of(chain.z);
    changed += after != before;
    if (after >= 0) ++seen[after];
  }
  for (int s = 0; s < exact.size(); ++s) expected[s] = draws * exact.probability(s);
  return {chi_squared_p(seen, expected), changed / double(draws)};
}

void check_invariance(Move move, double least_changed) {
  for (const auto& prior : prior_cases()) {
    INFO(prior.name);
    const Enumeration exact(prior, spread_data(), {0.8, 1.3});
    const Outcome outcome = invariance(exact, move);
    CHECK(outcome.p > 1e-5);
    CHECK(outcome.changed > least_changed);
  }
}

}  // namespace

TEST_CASE("visits to all rows leave the posterior as it is, and change most matrices") {
  check_invariance(visit_rows, 0.5);
}

TEST_CASE("exclusive-or moves leave the posterior as it is, and change many matrices") {
  check_invariance(exclusive_or_moves, 0.1);
}

TEST_CASE("split-merge moves leave the posterior as it is, and change some matrices") {
  check_invariance(split_merge_move, 0.03);
}
