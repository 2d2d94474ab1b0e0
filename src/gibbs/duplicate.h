#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "core/normal_between.h"
#include "core/tally.h"
#include "disjoint.h"

namespace buffet {

/// Pairs of features that have the same rows.
inline std::vector<std::pair<int, int>> equal_pairs(const Features& z) {
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < k; ++l)
      if (z.column(k) == z.column(l)) pairs.emplace_back(l, k);
  return pairs;
}

/// Log density of the sum of two loadings |N(0, sigma^2)| minus the log density of a single
/// loading: the ratio is sqrt(2) exp(s^2 / 4 sigma^2) erf(s / 2 sigma) in every column.
inline double log_ratio_of_sum(const Eigen::VectorXd& sum, double sigma) {
  const Eigen::ArrayXd t = sum.array() / (2 * sigma);
  return (0.5 * M_LN2 + t.square() + t.unaryExpr([](double v) { return std::log(std::erf(v)); }))
      .sum();
}

/// Splits a feature into two with the same rows, whose loadings are drawn given their sums, or
/// unites a uniformly chosen pair of features with the same rows. The likelihood does not change.
template <class Chain>
bool duplicate_or_unite(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  const bool unites = rng.bernoulli(0.5);
  auto pairs = equal_pairs(z);
  const int size = z.size() - unites;
  if (unites ? pairs.empty() : size < 1 || size >= prior.most_features()) return false;
  const auto [a, b] = unites ? pairs[rng.below(static_cast<int>(pairs.size()))]
                             : std::pair<int, int>(rng.below(size), size);
  const double sigma = likelihood.sigma_a();
  Eigen::VectorXd sum = likelihood.loadings().col(a);
  if (unites) sum += likelihood.loadings().col(b);
  auto proposal = proposal_without_statistics(chain);
  // The ratio for two features in place of one.
  double log_ratio = log_ratio_of_sum(sum, sigma) + std::log(0.5 * size * (size + 1.0));
  if (unites) {
    proposal.z.drop(b);
    log_ratio += log_prior_factors(prior, z, {b}) - proposal.log_prior({});
    log_ratio -= prior.log_proposed(z, b);
  } else {
    proposal.z.add(z.column(a));
    log_ratio -= proposal.prior.propose(proposal.z, b, rng);
    log_ratio += proposal.log_prior({b}) - log_prior_factors(prior, z, {});
    pairs = equal_pairs(proposal.z);
  }
  log_ratio -= std::log(pairs.size());
  if (!(std::log(rng.uniform()) < (unites ? -log_ratio : log_ratio))) return false;
  if (unites) {
    likelihood.unite(a, b, sum);
  } else {
    const Eigen::VectorXd first = sum.unaryExpr([&](double s) {
      const double end = s / (M_SQRT2 * sigma);
      return 0.5 * s + sigma * M_SQRT1_2 * draw_normal_between(-end, end, rng);
    });
    likelihood.divide(a, first, sum - first);
  }
  z = std::move(proposal.z);
  prior = std::move(proposal.prior);
  return true;
}

/// One try per sweep, with at most 20 rows: with more rows, two features with the same rows are too
/// improbable a priori.
struct DuplicateUnite {
  static constexpr const char* name = "duplicate-unite";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    return tally_of(chain.z.rows() <= 20 ? 1 : 0, check, [&] { return duplicate_or_unite(chain); });
  }
};

}  // namespace buffet
