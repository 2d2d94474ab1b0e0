#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/special.h"
#include "core/tally.h"
#include "prior_factors.h"

namespace buffet {

/// A random part of a column, neither empty nor the whole column: with probability 1/2 one row or
/// all rows but one, otherwise any part.
inline Bits draw_part(const Bits& column, Rng& rng) {
  std::vector<int> rows;
  column.for_each([&](int i) { rows.push_back(i); });
  const int m = static_cast<int>(rows.size());
  const bool any = rng.bernoulli(0.5), all_but_one = rng.bernoulli(0.5);
  const int one = rng.below(m);
  for (;;) {
    Bits part = column;
    for (int n = 0; n < m; ++n)
      if (any ? rng.bernoulli(0.5) : (n == one) == all_but_one) part.flip(rows[n]);
    const int count = part.count();
    if (0 < count && count < m) return part;
  }
}

/// Log probability that `draw_part` draws a given part with `count` of m rows.
inline double log_prob_of_part(int count, int m) {
  const bool alone = count == 1, rest = count == m - 1;
  return std::log(0.25 / m * (alone + rest) + 0.5 / (std::exp2(m) - 2));
}

/// Ordered pairs of features without common rows.
inline std::vector<std::pair<int, int>> disjoint_pairs(const Features& z) {
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < z.size(); ++l)
      if (k != l && z.count_shared(k, l) == 0) pairs.emplace_back(k, l);
  return pairs;
}

/// Features that at least two rows have.
inline std::vector<int> divisible(const Features& z) {
  std::vector<int> features;
  for (int k = 0; k < z.size(); ++k)
    if (z.count(k) > 1) features.push_back(k);
  return features;
}

/// A modified copy of a chain, to be accepted or rejected.
template <class Chain>
struct FeatureProposal {
  Features z;
  std::decay_t<decltype(std::declval<Chain>().prior)> prior;
  std::decay_t<decltype(std::declval<Chain>().likelihood)> likelihood;

  explicit FeatureProposal(const Chain& chain)
      : z(chain.z), prior(chain.prior), likelihood(chain.likelihood) {}

  /// Replaces column k by a column with this weight.
  void replace(int k, const Bits& column, double weight) {
    likelihood.replace(k, z.column(k), column, weight);
    z.replace(k, column);
    prior.replaced(z, k);
  }
  /// Returns the log density of the prior's draw for the column.
  double add(const Bits& column, double weight, Rng& rng) {
    likelihood.gain(column, weight);
    z.add(column);
    return prior.propose(z, z.size() - 1, rng);
  }
  /// Adds the column that the prior has just drawn.
  void bear(const Bits& column, double weight) {
    likelihood.gain(column, weight);
    z.add(column);
    prior.born(z, z.size() - 1);
  }
  void drop(int k) {
    likelihood.lose(k, z.column(k));
    z.drop(k);
  }
};

/// Log density of the features as a set, omitting unchanged columns.
template <class Chain>
double log_density(const Chain& chain, std::initializer_list<int> columns) {
  return chain.likelihood.log_density() + log_factorial(chain.z.size()) +
         log_prior_factors(chain.prior, chain.z, columns);
}

template <class Chain>
bool accept_or_not(Chain& chain, FeatureProposal<Chain>& proposal, double log_ratio) {
  if (!(std::log(chain.rng.uniform()) < log_ratio)) return false;
  chain.z = std::move(proposal.z);
  chain.prior = std::move(proposal.prior);
  chain.likelihood = std::move(proposal.likelihood);
  return true;
}

/// The two parts of a feature with weight w have weights w exp(u / 2) and w exp(-u / 2), u standard
/// normal. The log ratio of the density of the parts and their weights to the density of w.
inline double log_density_of_parts(int count, int m, double weight, double u) {
  return log_prob_of_part(count, m) - 0.5 * (u * u + std::log(2 * M_PI)) - std::log(weight);
}

/// Replaces two features without common rows by their union, whose weight is the geometric mean of
/// their weights.
template <class Chain>
bool unite(Chain& chain) {
  const auto& z = chain.z;
  const auto pairs = disjoint_pairs(z);
  if (pairs.empty()) return false;
  const auto [a, b] = pairs[chain.rng.below(static_cast<int>(pairs.size()))];
  const double first = chain.likelihood.loadings()[a], second = chain.likelihood.loadings()[b];
  const double weight = std::sqrt(first * second);
  Bits both = z.column(a);
  both |= z.column(b);
  FeatureProposal<Chain> proposal(chain);
  proposal.replace(a, both, weight);
  proposal.drop(b);
  proposal.likelihood.settle(both);
  const int m = a == proposal.z.size() ? b : a;
  const double log_reverse =
      log_density_of_parts(z.count(a), both.count(), weight, std::log(first / second)) +
      chain.prior.log_proposed(z, b) - std::log(divisible(proposal.z).size());
  return accept_or_not(chain, proposal,
                       log_density(proposal, {m}) - log_density(chain, {a, b}) + log_reverse +
                           std::log(pairs.size()));
}

/// Replaces a feature by two parts of it.
template <class Chain>
bool divide(Chain& chain) {
  const auto& z = chain.z;
  const auto features = divisible(z);
  if (features.empty() || z.size() >= chain.prior.most_features()) return false;
  const int m = features[chain.rng.below(static_cast<int>(features.size()))];
  const Bits whole = z.column(m), part = draw_part(whole, chain.rng);
  Bits other = whole;
  other ^= part;
  const double u = chain.rng.normal(), weight = chain.likelihood.loadings()[m];
  FeatureProposal<Chain> proposal(chain);
  proposal.replace(m, part, weight * std::exp(u / 2));
  const double log_added = proposal.add(other, weight * std::exp(-u / 2), chain.rng);
  proposal.likelihood.settle(whole);
  const double log_forward = log_density_of_parts(part.count(), whole.count(), weight, u) +
                             log_added - std::log(features.size());
  return accept_or_not(chain, proposal,
                       log_density(proposal, {m, z.size()}) - log_density(chain, {m}) -
                           log_forward - std::log(disjoint_pairs(proposal.z).size()));
}

/// As many tries as there are rows, each a union or a division with probability 1/2.
struct UniteDivide {
  static constexpr const char* name = "unite-divide";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    return tally_of(chain.z.rows(), check,
                    [&] { return chain.rng.bernoulli(0.5) ? unite(chain) : divide(chain); });
  }
};

}  // namespace buffet
