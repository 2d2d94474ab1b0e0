#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "../core/features.h"

namespace buffet {

/// Proposes a feature whose rows are drawn from the prior, or the end of a uniform one, with the
/// loadings integrated out.
template <class Chain>
void birth_or_death(Chain& chain) {
  auto& [z, prior, likelihood, rng] = chain;
  const bool birth = rng.bernoulli(0.5);
  if (!birth && z.size() == 0) return;
  Features trial = z;
  auto statistics = likelihood.statistics();
  if (birth) {
    trial.add(prior.draw_column(rng));
    statistics.add_column(trial, likelihood.completed());
  } else {
    const int k = rng.below(z.size());
    trial.drop(k);
    statistics.drop(k);
  }
  const double log_prior =
      prior.log_prob_of_number(trial.size()) - prior.log_prob_of_number(z.size());
  const double log_accept = likelihood.log_lik(statistics) -
                            likelihood.log_lik(likelihood.statistics()) + log_prior +
                            (birth ? 1 : -1) * prior.log_columns();
  if (!(std::log(rng.uniform()) < log_accept)) return;
  z = std::move(trial);
  likelihood.accept(std::move(statistics));
}

}  // namespace buffet
