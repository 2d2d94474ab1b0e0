#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/normal_vector.h"
#include "core/number_law.h"
#include "mixed.h"

namespace buffet {

/// A row that was not among the data, given the weights of a draw: its features by the likelihoods
/// of its entries, no auxiliary variables; what it has of its own is proposed from the prior.
class NewMixedRow {
 public:
  /// x: its entries, NaN where one is missing.
  NewMixedRow(Eigen::VectorXd x, const Mixed& given)
      : x_(std::move(x)),
        given_(given),
        bits_(Eigen::VectorXd::Zero(given.weights().cols())),
        eta_(given.bias()),
        own_(Eigen::VectorXd::Zero(eta_.size())) {}

  template <class LogOdds, class Rule>
  void sweep(LogOdds log_odds, Rule rule, Rng& rng) {
    rng.permutation(static_cast<int>(bits_.size()), order_);
    for (int k : order_) {
      const double sign = bits_(k) > 0 ? -1 : 1;
      const Eigen::VectorXd there = eta_ + sign * given_.weights().col(k);
      const double log_ratio = sign * (log_lik(there) - log_lik(eta_));
      if (rule(log_odds(k) + log_ratio) == (bits_(k) > 0)) continue;
      eta_ = there;
      bits_(k) += sign;
    }
  }
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    NumberLaw law;
    law.set(log_prior_ratio);
    const double sigma = given_.scales().sigma_a() * std::sqrt(double(law.draw(rng)));
    const Eigen::VectorXd proposed = normal_vector(eta_.size(), sigma, rng);
    const Eigen::VectorXd there = eta_ + proposed - own_;
    if (std::log(rng.uniform()) >= log_lik(there) - log_lik(eta_)) return;
    eta_ = there;
    own_ = proposed;
  }

  const Eigen::VectorXd& eta() const { return eta_; }  ///< its linear predictors
  Eigen::VectorXd mean() const { return given_.families().responses(eta_); }
  Eigen::VectorXd bits(int count) const { return bits_.head(count); }

 private:
  double log_lik(const Eigen::VectorXd& eta) const {
    double sum = 0;
    for (int j = 0; j < x_.size(); ++j)
      if (!std::isnan(x_(j)))
        sum += given_.families()[j]->log_density(x_(j), eta.data() + given_.data().first(j));
    return sum;
  }

  Eigen::VectorXd x_;
  const Mixed& given_;
  Eigen::VectorXd bits_, eta_, own_;
  std::vector<int> order_;
};

}  // namespace buffet
