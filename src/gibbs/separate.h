#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/tally.h"
#include "disjoint.h"
#include "gaussian/gaussian_loadings.h"

namespace buffet {

/// The statistics of the rows that determine the nonnegative loadings of two overlapping features:
/// rows with the first alone, with the second alone, and with both.
class OverlappingLoadings {
 public:
  using Sums = std::array<LoadingSums, 3>;

  OverlappingLoadings(const NonnegativeLoadings& law, Sums sums)
      : law_(law), sums_(std::move(sums)) {
    // For the rows with both, the second loading is integrated out as if it were not truncated.
    const auto& [first, second, both] = sums_;
    const Eigen::ArrayXd spread = second.observed + law.variance * law.precision_a;
    const Eigen::ArrayXd shrinkage = 1 + both.observed / spread;
    about_first_ = {both.observed / shrinkage,
                    (both.rest - both.observed * second.rest.max(0) / spread) / shrinkage};
  }

  /// Proposes loadings: the first around its mode, the second given the first.
  std::array<Eigen::VectorXd, 2> draw(Rng& rng) const {
    const Eigen::VectorXd first = law_.draw(sums_[0] + about_first_, rng);
    return {first, law_.draw(given(first), rng)};
  }
  /// Log density of both loadings times the likelihood, minus the log density of their proposal. It
  /// does not depend on the second loading.
  double log_importance(const Eigen::VectorXd& first) const {
    return law_.log_ratio(first, sums_[2]) - law_.log_ratio(first, about_first_) +
           law_.log_evidence(sums_[0] + about_first_) + law_.log_evidence(given(first));
  }

 private:
  /// Statistics of all rows for the second loading given the first.
  LoadingSums given(const Eigen::VectorXd& first) const {
    return sums_[1] +
           LoadingSums{sums_[2].observed, sums_[2].rest - sums_[2].observed * first.array()};
  }

  NonnegativeLoadings law_;
  Sums sums_;
  LoadingSums about_first_;
};

/// Ordered pairs of features such that some rows have both, some only the first, and some only the
/// second.
inline std::vector<std::pair<int, int>> overlapping_pairs(const Features& z) {
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < z.size(); ++l) {
      const int shared = z.count_shared(k, l);
      if (0 < shared && shared < std::min(z.count(k), z.count(l))) pairs.emplace_back(k, l);
    }
  return pairs;
}

/// Features that share no row with a or b.
inline std::vector<int> disjoint_from(const Features& z, int a, int b) {
  std::vector<int> features;
  for (int k = 0; k < z.size(); ++k)
    if (k != a && k != b && z.count_shared(k, a) + z.count_shared(k, b) == 0) features.push_back(k);
  return features;
}

/// Log of the number of ways to choose two features a and b and a third feature such that no row
/// has two of the three.
inline double log_ways_to_share(const Features& z, int a, int b) {
  return std::log(disjoint_pairs(z).size()) + std::log(disjoint_from(z, a, b).size());
}

/// Statistics for the loadings of features a, b and c from the rows that have one of them, or both
/// a and b: for rows with a alone, with b alone, and with both or c.
template <class Chain>
OverlappingLoadings::Sums sums_of(const Chain& chain, const std::vector<int>& features) {
  const Features& z = chain.z;
  const int a = features[0], b = features[1];
  OverlappingLoadings::Sums sums;
  sums.fill(LoadingSums::none(chain.likelihood.loadings().rows()));
  Bits any(z.rows());
  for (int k : features) any |= z.column(k);
  any.for_each([&](int i) {
    LoadingSums& of = sums[z.at(i, a) == z.at(i, b) ? 2 : z.at(i, b)];
    of = of + chain.likelihood.sums_of(z, i, features);
  });
  return sums;
}

/// Log of the integral over the loadings of three features without common rows.
inline double log_evidence(const NonnegativeLoadings& law, const OverlappingLoadings::Sums& sums) {
  return law.log_evidence(sums[0]) + law.log_evidence(sums[1]) + law.log_evidence(sums[2]);
}

/// Proposes a new feature for the rows that have both features of a uniformly drawn pair. These
/// rows lose the two features, which keep their other rows.
template <class Chain, class Columns>
struct Separation {
  Columns to;
  int a = -1, b = -1;    ///< -1: there is no such pair
  double log_ratio = 0;  ///< log ratio of the priors and of the choices of the reverse and forward
                         ///< moves

  /// x: the data from which the statistics are computed.
  template <class Data>
  Separation(Chain& chain, Columns from, const Data& x) : to(std::move(from)) {
    const Features& z = chain.z;
    const auto pairs = overlapping_pairs(z);
    if (pairs.empty() || z.size() >= chain.prior.most_features()) return;
    std::tie(a, b) = pairs[chain.rng.below(static_cast<int>(pairs.size()))];
    Bits both = z.column(a);
    both &= z.column(b);
    for (int k : {a, b}) {
      Bits alone = z.column(k);
      alone ^= both;
      to.replace(k, std::move(alone), x);
    }
    const int c = z.size();
    to.z.add(std::move(both));
    to.statistics.add_column(to.z, x);
    log_ratio = std::log(pairs.size()) - to.prior.propose(to.z, c, chain.rng);
    log_ratio += std::log(c + 1.0) + to.log_prior({a, b, c}) -
                 log_prior_factors(chain.prior, z, {a, b}) - log_ways_to_share(to.z, a, b);
  }
};

/// Proposes to drop a third feature, whose rows get both of the other two instead. No row has two of
/// the three.
template <class Chain, class Columns>
struct Sharing {
  Columns to;
  int a = -1, b = -1, c = -1;  ///< -1: there is no such c
  double log_ratio = 0;

  template <class Data>
  Sharing(Chain& chain, Columns from, const Data& x) : to(std::move(from)) {
    const Features& z = chain.z;
    const auto pairs = disjoint_pairs(z);
    if (pairs.empty()) return;
    std::tie(a, b) = pairs[chain.rng.below(static_cast<int>(pairs.size()))];
    const auto thirds = disjoint_from(z, a, b);
    if (thirds.empty()) return;
    c = thirds[chain.rng.below(static_cast<int>(thirds.size()))];
    for (int k : {a, b}) {
      Bits column = z.column(k);
      column |= z.column(c);
      to.replace(k, std::move(column), x);
    }
    to.z.drop(c);
    to.statistics.drop(c);
    const int last = z.size() - 1;
    log_ratio = to.log_prior({a == last ? c : a, b == last ? c : b}) -
                log_prior_factors(chain.prior, z, {a, b, c}) - std::log(z.size());
    log_ratio += chain.prior.log_proposed(z, c) + log_ways_to_share(z, a, b) -
                 std::log(overlapping_pairs(to.z).size());
  }
};

/// Separates two nonnegative features. The loadings of all three features are integrated out, then
/// drawn.
template <class Chain>
bool separate(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  Separation proposal(chain, proposal_without_statistics(chain), NoStatistics{});
  const auto [a, b] = std::pair(proposal.a, proposal.b);
  if (b < 0) return false;
  const auto law = likelihood.law();
  const auto sums = sums_of(chain, {a, b});
  const double log_importance =
      OverlappingLoadings(law, sums).log_importance(likelihood.loadings().col(a));
  const double log_accept = log_evidence(law, sums) - log_importance + proposal.log_ratio;
  if (!(std::log(rng.uniform()) < log_accept)) return false;
  likelihood.divide(a, law.draw(sums[0], rng), law.draw(sums[2], rng));
  likelihood.set_loading(b, law.draw(sums[1], rng));
  z = std::move(proposal.to.z);
  prior = std::move(proposal.to.prior);
  return true;
}

/// Gives two features the rows of a third, whose loadings are about the sum of the loadings of the
/// two.
template <class Chain>
bool share(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  Sharing proposal(chain, proposal_without_statistics(chain), NoStatistics{});
  const auto [a, b, c] = std::tuple(proposal.a, proposal.b, proposal.c);
  if (c < 0) return false;
  const auto law = likelihood.law();
  const auto sums = sums_of(chain, {a, b, c});
  const OverlappingLoadings overlapping(law, sums);
  const auto loadings = overlapping.draw(rng);
  const double log_accept =
      overlapping.log_importance(loadings[0]) - log_evidence(law, sums) + proposal.log_ratio;
  if (!(std::log(rng.uniform()) < log_accept)) return false;
  likelihood.set_loading(b, loadings[1]);
  likelihood.unite(a, c, loadings[0]);
  z = std::move(proposal.to.z);
  prior = std::move(proposal.to.prior);
  return true;
}

/// Either separates or shares nonnegative features, with probability 1/2 each.
struct SeparateShare {
  static constexpr const char* name = "separate-share";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    return tally_of(chain.z.rows() <= 300 ? 3 : 1, check,
                    [&] { return chain.rng.bernoulli(0.5) ? separate(chain) : share(chain); });
  }
};

/// Separates or shares with all loadings integrated out, once per sweep if possible, and only with
/// at most 20 rows: with more rows, the move is hardly ever accepted.
struct SeparateShareIntegrated {
  static constexpr const char* name = SeparateShare::name;

  template <class Chain>
  static Tally run(Chain& chain, const Check& = no_check) {
    Tally tally;
    if (chain.z.rows() > 20) return tally;
    const auto& x = chain.likelihood.completed();
    if (chain.rng.bernoulli(0.5)) {
      Separation proposal(chain, propose_from(chain), x);
      if (proposal.b >= 0) tally.add(accept_columns(chain, proposal.to, proposal.log_ratio));
    } else {
      Sharing proposal(chain, propose_from(chain), x);
      if (proposal.c >= 0) tally.add(accept_columns(chain, proposal.to, proposal.log_ratio));
    }
    return tally;
  }
};

}  // namespace buffet
