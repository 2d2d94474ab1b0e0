#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "choice_data.h"
#include "core/features.h"
#include "weight_prior.h"

namespace buffet {

/// Log density of the logarithms of all weights given Z, up to a constant, and its gradient.
class WeightDensity {
 public:
  WeightDensity(const ChoiceData& data, EliminationByAspects rule, const WeightPrior& prior)
      : rule_(rule), prior_(&prior), sides_(data.cells()) {
    for (int i = 0; i < data.rows(); ++i)
      for (const Opponent& other : data.opponents(i))
        if (other.row < i) {
          sides_[other.to] = 2 * static_cast<int>(pairs_.size());
          sides_[other.from] = sides_[other.to] + 1;
          pairs_.push_back(other.judged);
        }
    sums_.resize(2 * pairs_.size());
    slopes_.resize(2 * pairs_.size());
  }

  /// What each feature adds to: the sides of the pairs that it tells apart.
  void set(const Features& z, const ChoiceData& data) {
    ends_.clear();
    added_.clear();
    for (int k = 0; k < z.size(); ++k) {
      const Bits& column = z.column(k);
      column.for_each([&](int i) {
        for (const Opponent& other : data.opponents(i))
          if (!column.at(other.row)) added_.push_back(sides_[other.to]);
      });
      ends_.push_back(added_.size());
    }
  }

  double log_density(const std::vector<double>& log_weights) {
    add_up(log_weights);
    double sum = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k)
      sum += prior_->log_density_of_log(log_weights[k], weights_[k]);
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      sum += rule_.log_lik(sums_[2 * p], sums_[2 * p + 1], pairs_[p]);
    return sum;
  }

  void slopes(const std::vector<double>& log_weights, std::vector<double>& gradient) {
    add_up(log_weights);
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      rule_.slopes(sums_[2 * p], sums_[2 * p + 1], pairs_[p], &slopes_[2 * p]);
    for (std::size_t k = 0, n = 0; k < weights_.size(); ++k) {
      double slope = 0;
      for (; n < ends_[k]; ++n) slope += slopes_[added_[n]];
      gradient[k] = prior_->slope_of_log(weights_[k]) + weights_[k] * slope;
    }
  }

 private:
  void add_up(const std::vector<double>& log_weights) {
    weights_.resize(log_weights.size());
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t k = 0, n = 0; k < weights_.size(); ++k) {
      weights_[k] = std::exp(log_weights[k]);
      for (; n < ends_[k]; ++n) sums_[added_[n]] += weights_[k];
    }
  }

  EliminationByAspects rule_;
  const WeightPrior* prior_;
  std::vector<int> sides_;  ///< of (i, j): where a_ij is in sums_
  std::vector<Judgements> pairs_;
  std::vector<std::size_t> ends_;  ///< of each feature, in added_
  std::vector<int> added_;
  std::vector<double> weights_, sums_, slopes_;
};

}  // namespace buffet
