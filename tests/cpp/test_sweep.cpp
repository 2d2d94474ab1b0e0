#include <testthat/vendor/catch.h>

#include "comparison.h"
#include "gaussian/gaussian_collapsed.h"
#include "gibbs/gibbs.h"
#include "prior/exchangeable.h"

using namespace test;

namespace {

/// Draws entries one at a time, even if they are coupled.
struct OneByOne : buffet::GaussianCollapsed {
  using Searcher = OneByOne;
  using buffet::GaussianCollapsed::GaussianCollapsed;
  bool coupled(int, int) const = delete;
};

using OneByOneChain = buffet::Gibbs<buffet::Exchangeable, OneByOne>;

void visit_one_by_one(OneByOneChain& chain) {
  for (int i = 0; i < chain.z.rows(); ++i) buffet::sweep_row(i, chain);
  chain.likelihood.refresh(chain.z);
}

const PriorCase prior{"one-parameter", {0.8, 1, 0, 0}, false};

}  // namespace

// A scan in storage order is not invariant, but nearly so. Without moves of whole columns and
// updates of hyperparameters, these data reveal the bias with z = 30.
TEST_CASE("row visits in an order that does not depend on the state have the posterior") {
  compare_with_enumeration<OneByOneChain>(Enumeration(prior, spread_data(), {0.5, 1.3}),
                                          visit_one_by_one, scaled(shorter(1000000), 3));
}

// A block that depended on the bits of the row would not leave the posterior invariant either.
TEST_CASE("row visits with jointly drawn bits have the posterior") {
  compare_with_enumeration<Chain>(Enumeration(prior, spread_data(), {0.5, 1.3}), visit_rows,
                                  scaled(shorter(1000000), 3));
}
