#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// The start of a chain: its features, unless it finds them itself, and those hyperparameters that
/// are given.
struct Start {
  std::optional<Features> features;
  std::vector<std::pair<std::string, double>> values;

  /// NaN if not given.
  double value(const std::string& name) const {
    for (const auto& [given, value] : values)
      if (given == name) return value;
    return std::numeric_limits<double>::quiet_NaN();
  }
};

/// The hyperparameters of a prior or a likelihood that a start specifies, NaN for the others.
template <class Part>
auto given_to(const Part& part, const Start& from) {
  auto values = part.hyperparameters();
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] = from.value(Part::hyperparameter_names[n]);
  return values;
}

/// One feature that each row has with this probability; never empty.
inline Features one_feature(int rows, double density, Rng& rng) {
  Bits column(rows);
  for (int i = 0; i < rows; ++i)
    if (rng.bernoulli(density)) column.set(i);
  if (column.count() == 0) column.set(rng.below(rows));
  Features z(rows);
  z.add(std::move(column));
  return z;
}

/// Sets the hyperparameters of a prior that the start specifies.
template <class Prior>
void put_given(Prior& prior, const Start& from) {
  auto values = prior.hyperparameters();
  const auto given = given_to(prior, from);
  for (std::size_t n = 0; n < values.size(); ++n)
    if (!std::isnan(given[n])) values[n] = given[n];
  prior.set(values);
}

/// Starts a chain from these features, with the hyperparameters that are given.
template <class Chain>
void put(Chain& chain, Features features, const Start& from) {
  if (features.rows() != chain.z.rows())
    throw std::invalid_argument("the features to start from are not of the rows of the data");
  chain.restart(std::move(features));
  put_given(chain.prior, from);
  chain.prior.follow(chain.z);
}

/// True if a likelihood provides features from which a chain starts if it does not search.
template <class Likelihood, class = void>
struct KnowsStart : std::false_type {};
template <class Likelihood>
struct KnowsStart<Likelihood, std::void_t<decltype(std::declval<Likelihood&>().features_to_start(
                                  std::declval<Rng&>()))>> : std::true_type {};

template <class Chain>
Features features_to_start(Chain& chain, double density) {
  if constexpr (KnowsStart<std::decay_t<decltype(chain.likelihood)>>::value) {
    Features z = chain.likelihood.features_to_start(chain.rng);
    if (z.size() > 0 && z.size() <= chain.prior.most_features()) return z;
  }
  return one_feature(chain.z.rows(), density, chain.rng);
}

/// Starts a chain from the given features, the features of the likelihood, or one random feature if
/// the likelihood has none or the chain is bare. If only features are given, the other learned
/// parameters are first fitted to them: if the noise started as large as the data, a chain would
/// lose the best features within a sweep.
template <class Chain>
void start(Chain& chain, const Start& from, double density, bool bare = false) {
  const auto features = [&] {
    if (from.features) return *from.features;
    if (bare) return one_feature(chain.z.rows(), density, chain.rng);
    return features_to_start(chain, density);
  };
  put(chain, features(), from);
  chain.likelihood.start_at(given_to(chain.likelihood, from));
  chain.reset();
  if (from.features && from.values.empty() && !bare) chain.follow_features();
}

}  // namespace buffet
