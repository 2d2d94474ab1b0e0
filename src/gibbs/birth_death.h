#pragma once

#include <cmath>
#include <utility>

#include "core/features.h"

namespace buffet {

/// Proposes a feature whose rows are drawn from the prior, or the end of a uniform one, with the
/// loadings integrated out.
template <class Chain>
void birth_or_death(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  const bool birth = rng.bernoulli(0.5);
  if (!birth && z.size() == 0) return;
  const Bits column = birth ? prior.draw_column(rng) : Bits(z.rows());
  const int k = birth ? z.size() : rng.below(z.size());
  const double log_ratio =
      birth ? likelihood.log_ratio_added(column, z) : likelihood.log_ratio_dropped(k);
  const double log_prior =
      prior.log_prob_of_number(z.size() + (birth ? 1 : -1)) - prior.log_prob_of_number(z.size());
  const double log_accept = log_ratio + log_prior + (birth ? 1 : -1) * prior.log_columns();
  if (!(std::log(rng.uniform()) < log_accept)) return;
  auto statistics = likelihood.statistics();
  if (birth) {
    z.add(column);
    statistics.add_column(z, likelihood.completed());
  } else {
    z.drop(k);
    statistics.drop(k);
  }
  likelihood.accept(std::move(statistics));
}

}  // namespace buffet
