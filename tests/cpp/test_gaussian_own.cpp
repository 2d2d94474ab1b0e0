#include <testthat/vendor/catch.h>

#include <algorithm>

#include "gaussian_case.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

/// Compares draws of the number of singletons of row i with the product of prior and naive
/// likelihood.
void check_own_counts(const PriorCase& prior, GaussianCase& g, const Features& z, int i) {
  Features rest = z;
  for (int k = rest.size() - 1; k >= 0; --k)
    if (rest.is_own(i, k)) rest.drop(k);
  const int shared = rest.size();
  std::vector<double> log_weights;
  for (int j = 0; j < 40; ++j) {
    if (prior.parameters.n_features > 0 && shared + j > prior.parameters.n_features) break;
    log_weights.push_back(log_prob(rest, prior.parameters) + std::lgamma(rest.size() + 1.0) -
                          std::lgamma(j + 1.0) + g.naive_log_lik(rest));
    rest.add_own(i);
  }
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  double total = 0;
  for (double& w : log_weights) total += w = std::exp(w - largest);
  const int draws = scaled(100000);
  std::vector<double> seen(40, 0), expected(40, 0);
  for (std::size_t j = 0; j < log_weights.size(); ++j) expected[j] = draws * log_weights[j] / total;

  const Exchangeable exchangeable = prior.fixed(z.rows());
  const auto log_own_ratio = [&](int j) { return exchangeable.log_own_ratio(i, shared, j); };
  Rng rng(69);
  g.likelihood.reset(z);
  g.likelihood.enter(z, i);
  for (int n = 0; n < draws; ++n) ++seen.at(g.likelihood.draw_own(log_own_ratio, rng));
  CHECK(chi_squared_p(seen, expected) > 1e-5);
  CHECK(expected[0] < 0.98 * draws);
}

}  // namespace

TEST_CASE("singletons are drawn in proportion to prior times likelihood") {
  Eigen::MatrixXd x(3, 2), matrix(3, 4);
  x << 1.4, -0.3, 0.6, 1.1, 1.9, 0.8;
  matrix << 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1;
  GaussianCase g(x, {0.8, 0.7});
  for (auto prior : prior_cases()) {
    INFO(prior.name);
    prior.parameters.alpha *= 3;
    if (prior.parameters.n_features > 0) prior.parameters.n_features = 5;
    check_own_counts(prior, g, from_dense(matrix), 0);
    check_own_counts(prior, g, from_dense(matrix), 2);
  }
}

// In this case, the weights increase with j before they decrease.
TEST_CASE("singletons are drawn in proportion to prior times likelihood if many are needed") {
  Eigen::MatrixXd x(3, 2), matrix(3, 1);
  x << 0.2, -0.3, 3.1, -2.2, 0.1, 0.3;
  matrix << 1, 0, 1;
  GaussianCase g(x, {0.3, 0.9});
  PriorCase prior = prior_cases()[0];
  prior.parameters.alpha = 7;
  check_own_counts(prior, g, from_dense(matrix), 1);
}

TEST_CASE("a row that needs thousands of singletons is an error") {
  const Eigen::MatrixXd x = Eigen::MatrixXd::Constant(2, 1, 1e6);
  GaussianCase g(x, {1e-3, 1e-3});
  const Features z(2);
  Rng rng(70);
  const Exchangeable prior = prior_cases()[0].fixed(2);
  g.likelihood.reset(z);
  g.likelihood.enter(z, 0);
  CHECK_THROWS_WITH(g.likelihood.draw_own([&](int j) { return prior.log_own_ratio(0, 0, j); }, rng),
                    Catch::Contains("sigma_a"));
}
