#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "core/number_law.h"
#include "logistic.h"

namespace buffet {

/// The same by the sampler of Neal's lecture: the features that only a row has are proposed anew,
/// number and weights from the prior, so that the likelihoods alone decide; and weights are drawn
/// one by one, no features as a whole.
class LogisticNeal : public Logistic {
 public:
  static constexpr ColumnMoves column_moves = ColumnMoves::none;
  using Logistic::Logistic;

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const double before = row_log_lik();
    drawn_.resize(psi_.size(), own_.size());
    for (std::size_t n = 0; n < own_.size(); ++n) drawn_.col(n) = weights().col(own_[n]);
    take_off_own();
    NumberLaw law;
    law.set(log_prior_ratio);
    const int own = law.draw(rng);
    const Eigen::MatrixXd proposed = normal_matrix(psi_.size(), own, scales().sigma_a(), rng);
    for (int n = 0; n < own; ++n) psi_ += proposed.col(n).array();
    if (std::log(rng.uniform()) < row_log_lik() - before) drawn_ = proposed;
    return static_cast<int>(drawn_.cols());
  }

 private:
  /// Of the row entered.
  double row_log_lik() const {
    double sum = 0;
    for (int j = 0; j < psi_.size(); ++j)
      if (const int sign = data().sign(row_, j); sign != 0) sum += log_sigmoid(sign * psi_(j));
    return sum;
  }
};

}  // namespace buffet
