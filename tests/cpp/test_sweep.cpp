#include <testthat/vendor/catch.h>

#include "comparison.h"

using namespace test;

// A scan in the order of storage is not invariant, but nearly so. These data, without moves of
// whole columns and updates of hyperparameters, show it at z = 30.
TEST_CASE("visits to rows, in an order that the state does not determine, have the posterior") {
  const PriorCase prior{"one-parameter", {0.8, 1, 0, 0}, false};
  compare_with_enumeration<Chain>(Enumeration(prior, spread_data(), {0.5, 1.3}), visit_rows,
                                  scaled(shorter(1000000), 3));
}
