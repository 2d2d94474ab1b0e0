#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "../likelihood/row_moments.h"

namespace buffet {

/// q(z_i) of one row, independent bits, given factors of the loadings: coordinate ascent on what
/// the bound has of the row. The log odds of a bit are
///   log_odds_k + tau (E[a_k]' x - E|a_k|^2 / 2 - sum_{l != k} E[z_l] E[a_k]' E[a_l])
/// over the observed columns (Doshi-Velez et al. 2009, eq. for nu_nk).
template <class Factor>
class SoftRow {
 public:
  SoftRow(const Factor& factor, const Masks& masks, const Eigen::VectorXd& log_odds, double tau)
      : moments_(factor, masks), log_odds_(log_odds), tau_(tau) {}

  /// Some passes over the bits of a row with this pattern of missing entries and these E[a_k]' x;
  /// the largest change of a probability in the last of them.
  template <class Score, class Row>
  double update(int pattern, const Score& score, Row on, int passes) {
    if (moments_.enter(pattern)) {
      weights_ = tau_ * moments_.observed();
      base_ = log_odds_ - 0.5 * weights_.diagonal();
      weights_.diagonal().setZero();
    }
    linear_ = base_ + tau_ * score;
    load_.noalias() = weights_ * on;
    double change = 0;
    for (int n = 0; n < passes; ++n) {
      change = 0;
      for (Eigen::Index k = 0; k < linear_.size(); ++k) {
        const double next = 1 / (1 + std::exp(load_(k) - linear_(k))), by = next - on(k);
        if (std::abs(by) < 1e-12) continue;
        load_ += by * weights_.col(k);
        on(k) = next;
        change = std::max(change, std::abs(by));
      }
    }
    return change;
  }

 private:
  RowMoments<Factor> moments_;
  const Eigen::VectorXd& log_odds_;
  double tau_;
  Eigen::MatrixXd weights_;
  Eigen::VectorXd base_, linear_, load_;
};

}  // namespace buffet
