#pragma once

#include <cmath>
#include <utility>

#include "core/check.h"
#include "core/features.h"
#include "core/tally.h"
#include "union.h"

namespace buffet {

/// Proposes the birth of a feature whose rows are drawn from the prior, or the death of a feature
/// chosen uniformly, with the loadings integrated out.
template <class Chain>
bool birth_or_death(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  const bool birth = rng.bernoulli(0.5);
  if (!birth && z.size() == 0) return false;
  const Bits column = birth ? prior.draw_column(rng) : Bits(z.rows());
  const int k = birth ? z.size() : rng.below(z.size());
  const double log_ratio =
      birth ? likelihood.log_ratio_added(column, z) : likelihood.log_ratio_dropped(k);
  const double log_prior =
      prior.log_prob_of_number(z.size() + (birth ? 1 : -1)) - prior.log_prob_of_number(z.size());
  const double log_accept = log_ratio + log_prior + (birth ? 1 : -1) * prior.log_columns();
  if (!(std::log(rng.uniform()) < log_accept)) return false;
  auto statistics = likelihood.statistics();
  if (birth) {
    z.add(column);
    prior.born(z, k);
    statistics.add_column(z, likelihood.completed());
  } else {
    z.drop(k);
    statistics.drop(k);
  }
  likelihood.accept(std::move(statistics));
  return true;
}

/// Tries this many births and deaths, under priors that draw columns independently.
template <int tries>
struct BirthDeath {
  static constexpr const char* name = "birth-death";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    return tally_of(chain.prior.counts_copies() ? tries : 0, check,
                    [&] { return birth_or_death(chain); });
  }
};

/// Proposes the birth of a feature drawn from the prior with its weight, or the death of a feature
/// chosen uniformly.
template <class Chain>
bool birth_or_death_by_prior(Chain& chain) {
  const int size = chain.z.size();
  const bool birth = chain.rng.bernoulli(0.5);
  if (birth ? size >= chain.prior.most_features() : size == 0) return false;
  FeatureProposal<Chain> proposal(chain);
  const int k = birth ? size : chain.rng.below(size);
  const double weight =
      birth ? chain.likelihood.prior().draw(1, chain.rng) : chain.likelihood.loadings()[k];
  const Bits column = birth ? proposal.prior.draw_column(chain.rng) : chain.z.column(k);
  if (birth)
    proposal.bear(column, weight);
  else
    proposal.drop(k);
  proposal.likelihood.settle(column);
  const double log_ratio_of_numbers =
      chain.prior.log_prob_of_number(proposal.z.size()) - chain.prior.log_prob_of_number(size);
  const double log_drawn = chain.prior.log_columns() - chain.likelihood.prior().log_density(weight);
  return accept_or_not(chain, proposal,
                       proposal.likelihood.log_density() - chain.likelihood.log_density() +
                           log_ratio_of_numbers + (birth ? 1 : -1) * log_drawn);
}

/// Four births or deaths, under priors that do not count copies of features.
struct BirthDeathByPrior {
  static constexpr const char* name = "birth-death";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    return tally_of(chain.prior.counts_copies() ? 0 : 4, check,
                    [&] { return birth_or_death_by_prior(chain); });
  }
};

}  // namespace buffet
