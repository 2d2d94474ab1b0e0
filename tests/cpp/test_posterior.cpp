#include <testthat/vendor/catch.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "comparison.h"

using namespace test;

namespace {

/// Computed once for all samplers.
const Enumeration& enumeration(const PriorCase& prior, Missing missing, const Scales& sigma) {
  using Key = std::tuple<std::string, double, int, Missing, bool>;
  static std::map<Key, Enumeration> made;
  const Key key{prior.name, prior.parameters.discount, prior.most(), missing,
                sigma.columns.empty()};
  const auto found = made.find(key);
  if (found != made.end()) return found->second;
  return made.emplace(key, Enumeration(prior, spread_data(missing), sigma)).first->second;
}

constexpr int one_parameter = 0, two_parameter = 1, finite_columns = 3;

template <class C>
void compare(Missing missing, const std::vector<int>& priors, const Scales& sigma = {0.8, 1.3}) {
  for (int n : priors) {
    const PriorCase prior = cases_of<C>()[n];
    INFO(prior.name);
    compare_with_enumeration<C>(enumeration(prior, missing, sigma), sweep,
                                scaled(shorter(200000, 20)));
  }
}

/// The posterior conditional on at most this many features.
template <class C>
void compare_truncated(Missing missing, int max_features, const Scales& sigma = {0.8, 1.3}) {
  for (PriorCase prior : cases_of<C>()) {
    INFO(prior.name << ", at most " << max_features);
    prior.max_features = max_features;
    compare_with_enumeration<C>(enumeration(prior, missing, sigma), sweep,
                                scaled(shorter(200000, 20)));
  }
}

}  // namespace

TEST_CASE("uncollapsed sweeps have the posterior from an enumeration") {
  compare<UncollapsedChain>(Missing::none, {0, 1, 2, 3});
}

TEST_CASE("slice sweeps have the posterior from an enumeration") {
  compare<SliceChain>(Missing::none, {0, 1, 2, 3});
}

TEST_CASE("collapsed sweeps have the posterior given the observed entries") {
  compare<Chain>(Missing::two_entries, {0, 1, 2, 3});
}

TEST_CASE("uncollapsed sweeps have the posterior given the observed entries") {
  compare<UncollapsedChain>(Missing::two_entries, {0, 1, 2, 3});
}

TEST_CASE("slice sweeps have the posterior given the observed entries") {
  compare<SliceChain>(Missing::two_entries, {0, 1, 2, 3});
}

TEST_CASE("sweeps have the posterior if a whole row or column is missing") {
  compare<Chain>(Missing::row, {one_parameter, finite_columns});
  compare<UncollapsedChain>(Missing::row, {one_parameter, finite_columns});
  compare<SliceChain>(Missing::row, {one_parameter, finite_columns});
  compare<Chain>(Missing::column, {two_parameter});
  compare<UncollapsedChain>(Missing::column, {two_parameter});
  compare<SliceChain>(Missing::column, {two_parameter});
}

TEST_CASE("sweeps have the posterior with noise per column") {
  const Scales sigma{0.8, 1.3, {0.5, 1.4}};
  compare<ColumnNoiseChain>(Missing::none, {0, 1, 2, 3}, sigma);
  compare<ColumnNoiseChain>(Missing::two_entries, {0, 1, 2, 3}, sigma);
  compare<ColumnNoiseChain>(Missing::row, {one_parameter, finite_columns}, sigma);
  compare<ColumnNoiseChain>(Missing::column, {two_parameter}, sigma);
}

TEST_CASE("truncated sweeps have the posterior given the limit on features") {
  compare_truncated<Chain>(Missing::none, 3);
  compare_truncated<UncollapsedChain>(Missing::none, 3);
  compare_truncated<SliceChain>(Missing::none, 3);
}

TEST_CASE(
    "truncated sweeps have the posterior given the limit on features and the observed entries") {
  compare_truncated<Chain>(Missing::two_entries, 3);
  compare_truncated<SliceChain>(Missing::two_entries, 3);
  compare_truncated<ColumnNoiseChain>(Missing::two_entries, 3, {0.8, 1.3, {0.5, 1.4}});
}
