#pragma once

#include <initializer_list>

#include "core/features.h"

namespace buffet {

/// The factors of the probability of z that involve these columns, and the factor for their number.
template <class Prior>
double log_prior_factors(const Prior& prior, const Features& z,
                         std::initializer_list<int> columns) {
  double sum = prior.log_prob_of_number(z.size());
  for (int k : columns) sum += prior.log_prob_of_column(z, k);
  return sum;
}

}  // namespace buffet
