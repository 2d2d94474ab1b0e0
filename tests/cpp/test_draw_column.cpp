#include <testthat/vendor/catch.h>

#include <cmath>

#include "scale.h"
#include "statistics.h"
#include "tree_case.h"

using namespace test;

namespace {

void check_log(double value, double expected) {
  CHECK(value == Approx(std::log(expected)).epsilon(1e-8).margin(1e-8));
}

/// The weights of all nonempty columns, indexed by their bits.
template <class Prior>
void check_draws(Prior prior, const std::vector<double>& weights) {
  double total = 0;
  for (double w : weights) total += w;
  check_log(prior.log_columns(), total);
  const int draws = scaled(60000);
  std::vector<double> seen(weights.size(), 0), expected(weights.size());
  for (std::size_t h = 1; h < weights.size(); ++h) expected[h] = draws * weights[h] / total;
  Rng rng(321);
  for (int n = 0; n < draws; ++n) {
    const Bits column = prior.draw_column(rng);
    REQUIRE(column.count() > 0);
    ++seen[column.words()[0]];
  }
  CHECK(seen[0] == 0);
  CHECK(chi_squared_p(seen, expected, 10) > 1e-5);
}

template <class Prior>
void check_columns(const Prior& prior, int rows, const std::vector<double>& weights) {
  check_draws(prior, weights);
  for (std::size_t h = 1; h < weights.size(); ++h) {
    Features z(rows);
    z.add(bits_of(rows, static_cast<int>(h)));
    check_log(prior.log_prob_of_column(z, 0), weights[h]);
  }
}

/// Rates under the infinite priors; probabilities under the finite prior.
double weight(const Parameters& p, int rows, int m) {
  if (p.n_features > 0) {
    const double on = p.alpha * p.c / p.n_features;
    return std::exp(log_beta_integral(on + m, p.c + rows - m) - log_beta_integral(on, p.c));
  }
  const double log_constant =
      std::lgamma(1 + p.c) - std::lgamma(1 - p.discount) - std::lgamma(p.c + p.discount);
  return p.alpha *
         std::exp(log_constant + log_beta_integral(m - p.discount, rows - m + p.c + p.discount));
}

}  // namespace

TEST_CASE("columns are drawn from exchangeable priors in proportion to their probabilities") {
  for (const auto& prior : prior_cases())
    for (int rows : {1, 2, 5}) {
      INFO(prior.name << ", " << rows << " rows");
      std::vector<double> weights(std::size_t{1} << rows, 0);
      for (int h = 1; h < 1 << rows; ++h)
        weights[h] = weight(prior.parameters, rows, bits_of(rows, h).count());
      check_columns(prior.fixed(rows), rows, weights);
    }
}

TEST_CASE("the total weight of all columns is the total rate of the buffet") {
  for (const auto& prior : prior_cases()) {
    const Parameters& p = prior.parameters;
    if (p.n_features > 0) continue;
    double rate = 0;
    for (int n = 1; n <= 70; ++n) rate += rate_of_new(n, p);
    CHECK(prior.fixed(70).log_columns() == Approx(std::log(rate)).epsilon(1e-11));
  }
}

TEST_CASE("columns are drawn on a tree in proportion to their probabilities") {
  for (int rows : {3, 4, 5}) {
    const RawTree raw = uneven_tree(rows);
    for (double alpha : {0.7, 2.3})
      check_columns(phylogenetic(raw, Hyper::fixed(alpha), Rates::integrated), rows,
                    column_rates(raw));
    check_draws(phylogenetic(raw, Hyper::fixed(1), Rates::sampled), column_rates(raw));
  }
}
