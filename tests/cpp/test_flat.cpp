#include <testthat/vendor/catch.h>

#include "draws.h"
#include "flat.h"
#include "gibbs/gibbs.h"
#include "laws.h"
#include "scale.h"

using namespace test;

namespace {

constexpr int rows = 5;

double choose(int n, int k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
}

/// Expected number of columns with j rows.
double expected_of_count(int j, const Parameters& p) {
  if (p.n_features > 0) {
    const double on = p.alpha * p.c / p.n_features;
    return p.n_features * choose(rows, j) *
           std::exp(log_beta_integral(on + j, p.c + rows - j) - log_beta_integral(on, p.c));
  }
  if (p.c == 1 && p.discount == 0) return p.alpha / j;
  return choose(rows, j) * p.alpha *
         std::exp(std::lgamma(1 + p.c) - std::lgamma(1 - p.discount) -
                  std::lgamma(p.c + p.discount) + std::lgamma(j - p.discount) +
                  std::lgamma(rows - j + p.c + p.discount) - std::lgamma(rows + p.c));
}

/// Poisson for an unbounded prior, binomial for a finite one.
Law law_of_mean(double mean, const Parameters& p) {
  return p.n_features > 0 ? binomial(p.n_features, mean / p.n_features) : poisson(mean);
}

std::vector<Count> counts_and_laws(const Parameters& p, int steps) {
  std::vector<Count> counts;
  double total = 0, ones = 0;
  for (int j = 1; j <= rows; ++j) {
    const double expected = expected_of_count(j, p);
    counts.emplace_back("columns of count " + std::to_string(j), law_of_mean(expected, p), steps);
    total += expected;
    ones += j * expected;
  }
  counts.emplace_back("K+", law_of_mean(total, p), steps);
  for (const char* row : {"first", "last"})
    counts.emplace_back(std::string("ones of the ") + row + " row", law_of_mean(ones / rows, p),
                        steps);
  return counts;
}

std::vector<int> values(const Features& z) {
  std::vector<int> v(rows + 3, 0);
  for (int k = 0; k < z.size(); ++k) {
    ++v[z.count(k) - 1];
    v[rows + 1] += z.at(0, k);
    v[rows + 2] += z.at(rows - 1, k);
  }
  v[rows] = z.size();
  return v;
}

void check_prior_recovered(const PriorCase& prior) {
  INFO(prior.name);
  const int sweeps = scaled(shorter(300000));
  auto counts = counts_and_laws(prior.parameters, sweeps);
  BatchMean product(sweeps, 200);
  buffet::Gibbs<Exchangeable, buffet::Flat> chain(Features(rows), prior.fixed(rows), {}, Rng(131));
  Limits limits(20);
  for (int t = 0; t < sweeps; ++t) {
    chain.sweep();
    limits.check(chain.z.size());
    const auto v = values(chain.z);
    for (std::size_t n = 0; n < v.size(); ++n) counts[n].add(v[n]);
    product.add(v[0] * v[1]);
  }
  for (const auto& count : counts) count.check();
  const Parameters& p = prior.parameters;
  const double shrink = p.n_features > 0 ? 1 - 1.0 / p.n_features : 1;
  CHECK(std::abs(product.z(expected_of_count(1, p) * expected_of_count(2, p) * shrink)) < 4.5);
}

}  // namespace

// Teh, Gorur & Ghahramani (2007), Griffiths & Ghahramani (2011): the numbers of columns with each
// count are independent Poisson variables. In the one-parameter process, they have mean alpha / j,
// and every row has alpha ones on average.
TEST_CASE("without data, the columns of each count, their sum and the rows have their priors") {
  for (const auto& prior : prior_cases()) check_prior_recovered(prior);
}

TEST_CASE(
    "without data, the distributions agree with published ones for the one-parameter process") {
  const Parameters p = prior_cases()[0].parameters;
  double ones = 0, total = 0, harmonic = 0;
  for (int j = 1; j <= rows; ++j) {
    ones += j * expected_of_count(j, p);
    total += expected_of_count(j, p);
    harmonic += 1.0 / j;
  }
  CHECK(total == Approx(p.alpha * harmonic));
  CHECK(ones == Approx(p.alpha * rows));
}
