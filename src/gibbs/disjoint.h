#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/tally.h"
#include "gaussian/gaussian_loadings.h"
#include "split_merge.h"

namespace buffet {

/// A feature and two halves of it without common rows, under nonnegative loadings. The loadings of
/// the halves and of the whole are integrated out given the loadings of all other features. If some
/// rows had both halves, the integral over two truncated loadings would have no closed form.
template <class Likelihood>
class DisjointHalves {
 public:
  /// `of`: the features that are split or merged.
  DisjointHalves(const Likelihood& likelihood, const Features& z, std::vector<int> of)
      : likelihood_(&likelihood), z_(&z), of_(std::move(of)) {
    sums_.fill(LoadingSums::none(likelihood.loadings().rows()));
  }

  std::array<double, 3> log_densities(int i) {
    const LoadingSums row = likelihood_->sums_of(*z_, i, of_);
    std::array<double, 3> densities;
    for (int s = 0; s < 2; ++s) {
      with_[s] = sums_[s] + row;
      evidence_with_[s] = likelihood_->law().log_evidence(with_[s]);
      densities[s] = evidence_with_[s] - evidence_[s];
    }
    densities[2] = -std::numeric_limits<double>::infinity();
    return densities;
  }
  void learn(int s) {
    sums_[s] = with_[s];
    evidence_[s] = evidence_with_[s];
  }

  const std::array<LoadingSums, 2>& sums() const { return sums_; }
  LoadingSums whole() const { return sums_[0] + sums_[1]; }
  /// Log ratio of the evidence of the halves to the evidence of the whole.
  double log_ratio() const {
    return evidence_[0] + evidence_[1] - likelihood_->law().log_evidence(whole());
  }

 private:
  const Likelihood* likelihood_;
  const Features* z_;
  std::vector<int> of_;
  std::array<LoadingSums, 2> sums_, with_;
  std::array<double, 2> evidence_{}, evidence_with_{};
};

/// The loadings are in the state, so no statistics of proposed features are stored.
struct NoStatistics {
  template <class... Any>
  void set_column(const Any&...) {}
  template <class... Any>
  void add_column(const Any&...) {}
  void drop(int) {}
};

template <class Chain>
auto proposal_without_statistics(const Chain& chain) {
  return Proposal<std::decay_t<decltype(chain.prior)>, NoStatistics>{chain.z, chain.prior, {}};
}

template <class Chain>
bool split_disjoint(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  if (z.size() < 1 || z.size() >= prior.most_features()) return false;
  const int m = rng.below(z.size());
  Halves halves{Bits(z.rows()), Bits(z.rows())};
  Allocation allocation(z.column(m), DisjointHalves(likelihood, z, {m}));
  double log_q = allocation.draw(halves, rng);
  if (halves.first.count() == 0 || halves.second.count() == 0) return false;
  auto proposal = proposal_without_statistics(chain);
  log_q += proposal.split(m, halves, NoStatistics{}, rng);
  const double log_prior = proposal.log_prior({m, z.size()}) - log_prior_factors(prior, z, {m});
  const double log_accept = allocation.model().log_ratio() + log_prior - log_q;
  if (!(std::log(rng.uniform()) < log_accept)) return false;
  const auto& sums = allocation.model().sums();
  const Eigen::VectorXd first = likelihood.law().draw(sums[0], rng);
  likelihood.divide(m, first, likelihood.law().draw(sums[1], rng));
  z = std::move(proposal.z);
  prior = std::move(proposal.prior);
  return true;
}

template <class Chain>
bool merge_disjoint(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  if (z.size() < 2) return false;
  const auto [a, b] = draw_pair(z.size(), rng);
  const Halves halves{z.column(a), z.column(b)};
  if (halves.first.count_shared(halves.second) > 0) return false;
  auto proposal = proposal_without_statistics(chain);
  const int m = proposal.merge(a, b, NoStatistics{});
  Allocation allocation(proposal.z.column(m), DisjointHalves(likelihood, z, {a, b}));
  const double log_q = allocation.log_prob(halves, rng) + prior.log_proposed(z, b);
  const double log_prior = proposal.log_prior({m}) - log_prior_factors(prior, z, {a, b});
  const double log_accept = log_prior + log_q - allocation.model().log_ratio();
  if (!(std::log(rng.uniform()) < log_accept)) return false;
  likelihood.unite(a, b, likelihood.law().draw(allocation.model().whole(), rng));
  z = std::move(proposal.z);
  prior = std::move(proposal.prior);
  return true;
}

/// One split of a feature into halves without common rows, or one merge of such features, with
/// probability 1/2 each.
struct SplitMergeDisjoint {
  static constexpr const char* name = "split-merge";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    return tally_of(1, check, [&] {
      return chain.rng.bernoulli(0.5) ? split_disjoint(chain) : merge_disjoint(chain);
    });
  }
};

}  // namespace buffet
