#include <testthat/vendor/catch.h>

#include "comparison.h"
#include "draws.h"

using namespace test;

namespace {

void compare_sweeps(const PriorCase& prior, const Eigen::MatrixXd& x, Scales sigma) {
  INFO(prior.name);
  compare_with_enumeration<Chain>(Enumeration(prior, x, sigma), sweep, scaled(shorter(200000)));
}

}  // namespace

TEST_CASE("sweeps have the posterior from an enumeration of all matrices with three rows") {
  for (const auto& prior : prior_cases()) compare_sweeps(prior, spread_data(), {0.8, 1.3});
}

TEST_CASE("sweeps have the enumerated posterior if the third row is the sum of the others") {
  Eigen::MatrixXd x(3, 2);
  x << 1.5, 0.2, -0.1, 1.4, 1.4, 1.6;
  for (const auto& prior : prior_cases()) compare_sweeps(prior, x, {0.6, 1.7});
}

TEST_CASE("sweeps have the enumerated posterior if there are more columns than rows") {
  Rng rng(5);
  const Eigen::MatrixXd x = draw_normal(3, 5, 1.2, rng);
  compare_sweeps(prior_cases()[1], x, {0.9, 1.4});
}

TEST_CASE("likelihoods of the enumeration and of the chain agree") {
  Rng rng(6);
  const Eigen::MatrixXd x = spread_data();
  const Enumeration exact(prior_cases()[0], x, {0.8, 1.3});
  for (int n = 0; n < 100; ++n) {
    const Features z = exact.matrix(exact.draw(rng));
    const Chain chain = exact.chain(z, Rng(1));
    CHECK(chain.likelihood.log_lik(z) == Approx(log_lik(dense(z), x, {0.8, 1.3})).epsilon(1e-10));
  }
}
