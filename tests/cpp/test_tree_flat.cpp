#include <testthat/vendor/catch.h>

#include "flat.h"
#include "gibbs/gibbs.h"
#include "laws.h"
#include "scale.h"
#include "tree_case.h"

using namespace test;

namespace {

using FlatChain = buffet::Gibbs<Phylogenetic, buffet::Flat>;

/// The number of features with each history.
std::vector<int> repeats_of(const Features& z) {
  std::vector<int> repeats(std::size_t{1} << z.rows(), 0);
  for (int k = 0; k < z.size(); ++k) ++repeats[z.column(k).words()[0]];
  return repeats;
}

/// Histories have independent Poisson counts; checks these counts and two of their products.
void check_prior_recovered(const RawTree& raw, double alpha, Rates rates) {
  INFO((rates == Rates::sampled ? "pi in the state" : "pi integrated out"));
  const int sweeps = scaled(shorter(150000));
  const auto of_columns = column_rates(raw);
  std::vector<Count> counts;
  double total = 0;
  for (std::size_t h = 1; h < of_columns.size(); ++h) {
    counts.emplace_back("history " + std::to_string(h), poisson(alpha * of_columns[h]), sweeps);
    total += of_columns[h];
  }
  counts.emplace_back("K+", poisson(alpha * total), sweeps);
  const std::size_t first = 1, full = of_columns.size() - 1;
  BatchMean product(sweeps, 200);
  FlatChain chain(Features(raw.rows), phylogenetic(raw, Hyper::fixed(alpha), rates), {}, Rng(171));
  Limits limits(20);
  for (int t = 0; t < sweeps; ++t) {
    chain.sweep();
    limits.check(chain.z.size());
    const auto repeats = repeats_of(chain.z);
    for (std::size_t h = 1; h <= full; ++h) counts[h - 1].add(repeats[h]);
    counts.back().add(chain.z.size());
    product.add(repeats[first] * repeats[full]);
  }
  for (const auto& count : counts) count.check();
  CHECK(std::abs(product.z(alpha * alpha * of_columns[first] * of_columns[full])) < 4.5);
}

}  // namespace

TEST_CASE(
    "without data, features on a tree have independent Poisson counts with pi integrated out") {
  check_prior_recovered(uneven_tree(4), 1.7, Rates::integrated);
  check_prior_recovered(uneven_tree(5), 1.3, Rates::integrated);
}

TEST_CASE("without data, features on a tree have independent Poisson counts with pi in the state") {
  check_prior_recovered(uneven_tree(4), 1.7, Rates::sampled);
  check_prior_recovered(uneven_tree(5), 1.3, Rates::sampled);
}

// Campbell's theorem: the sum of f(pi) over the features with a history has mean alpha times the
// integral of f(pi) P(history | pi) / pi.
TEST_CASE("without data, probabilities in the state have the density given their history") {
  const RawTree raw = uneven_tree(4);
  const double alpha = 1.7;
  const int sweeps = scaled(shorter(100000)), histories = 1 << 4;
  std::vector<BatchMean> pi(histories, {sweeps, 200}), log_pi = pi;
  FlatChain chain(Features(4), phylogenetic(raw, Hyper::fixed(alpha), Rates::sampled), {},
                  Rng(172));
  for (int t = 0; t < sweeps; ++t) {
    chain.sweep();
    std::vector<double> sums(histories, 0), logs = sums;
    const auto log_rates = log_rates_of(chain.prior, chain.z);
    for (int k = 0; k < chain.z.size(); ++k) {
      const double value = -std::expm1(-std::exp(log_rates[k]));
      sums[chain.z.column(k).words()[0]] += value;
      logs[chain.z.column(k).words()[0]] += std::log(value);
    }
    for (int h = 1; h < histories; ++h) {
      pi[h].add(sums[h]);
      log_pi[h].add(logs[h]);
    }
  }
  for (int h = 1; h < histories; ++h) {
    INFO("history " << h);
    const auto expected = [&](auto f) {
      return alpha * double(integral_over_rates(raw, bits_of(4, h), f));
    };
    CHECK(std::abs(pi[h].z(expected([](long double v) { return v; }))) < 4.5);
    CHECK(std::abs(log_pi[h].z(expected([](long double v) { return std::log(v); }))) < 4.5);
  }
}

TEST_CASE("without data, alpha on a tree has its prior") {
  const RawTree raw = uneven_tree(4);
  const double features = TreeProcess(raw).features();
  for (Rates rates : {Rates::integrated, Rates::sampled}) {
    const int sweeps = scaled(shorter(100000));
    BatchMean alpha(sweeps, 200), square(sweeps, 200), size(sweeps, 200), product(sweeps, 200);
    FlatChain chain(Features(4), phylogenetic(raw, Hyper::gamma(2.6, 1.9), rates), {}, Rng(173));
    for (int t = 0; t < sweeps; ++t) {
      chain.sweep();
      const double a = chain.prior.alpha();
      alpha.add(a);
      square.add(a * a);
      size.add(chain.z.size());
      product.add(a * chain.z.size());
    }
    const double mean = 2.6 / 1.9, mean_square = 2.6 * 3.6 / (1.9 * 1.9);
    CHECK(std::abs(alpha.z(mean)) < 4.5);
    CHECK(std::abs(square.z(mean_square)) < 4.5);
    CHECK(std::abs(size.z(mean * features)) < 4.5);
    CHECK(std::abs(product.z(mean_square * features)) < 4.5);
  }
}

// Rates may start arbitrarily far from their posterior.
TEST_CASE("initial probabilities of columns on a tree are finite") {
  const RawTree raw = uneven_tree(5);
  Rng rng(174);
  for (int n = 0; n < 50; ++n) {
    const Features z = random_features(5, 4, rng);
    Phylogenetic prior = phylogenetic(raw, Hyper::fixed(1), Rates::sampled);
    prior.reset(z, rng);
    const auto log_rates = log_rates_of(prior, z);
    REQUIRE(log_rates.size() == 4);
    for (double y : log_rates) CHECK(std::isfinite(y));
    CHECK(std::isfinite(prior.log_prob(z)));
  }
}
