#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/rng.h"
#include "point/factor/row_moments.h"
#include "point/factor/row_search.h"
#include "soft_features.h"

namespace buffet {

/// q(z_i) of one row, independent bits, given factors of the loadings. The log odds of a bit are
///   log_odds_k + tau (E[a_k]' x - E|a_k|^2 / 2 - sum_{l != k} E[z_l] E[a_k]' E[a_l])
/// over the observed columns (Doshi-Velez et al. 2009, eq. for nu_nk).
template <class Factor>
class SoftRow {
 public:
  SoftRow(const RowMoments<Factor>& moments, const Eigen::VectorXd& log_odds, double tau)
      : moments_(moments),
        log_odds_(log_odds),
        tau_(tau),
        search_(problem_, RowRule::climb),
        rng_(0) {
    problem_.fresh.assign(log_odds.size(), 0);
  }

  /// To a row with this pattern of missing entries and these E[a_k]' x.
  template <class Score>
  void enter(int pattern, const Score& score) {
    if (moments_.enter(pattern)) {
      problem_.weights = tau_ * moments_.observed();
      base_ = log_odds_ - 0.5 * problem_.weights.diagonal();
      problem_.weights.diagonal().setZero();
    }
    problem_.linear = base_ + tau_ * score;
  }

  /// Coordinate ascent on what the bound has of the row: passes over its bits, so many or until no
  /// probability changes.
  template <class Row>
  void ascend(Row&& on, int passes) {
    load_.noalias() = problem_.weights * on;
    for (double change = 1; passes > 0 && change > 1e-8; --passes) {
      change = 0;
      for (Eigen::Index k = 0; k < load_.size(); ++k) {
        const double next = 1 / (1 + std::exp(load_(k) - problem_.linear(k))), by = next - on(k);
        if (std::abs(by) < 1e-12) continue;
        load_ += by * problem_.weights.col(k);
        on(k) = next;
        change = std::max(change, std::abs(by));
      }
    }
  }

  /// The same from the best set of features that a search finds, where that ends higher.
  template <class Row>
  void search(Row&& on) {
    search_.improve([&](int k) { return on(k) > 0.5; }, rng_);
    other_.resize(on.size());
    for (Eigen::Index k = 0; k < on.size(); ++k) other_(k) = search_.best.on(static_cast<int>(k));
    ascend(other_, 5);
    if (value(other_) > value(on) + 1e-9) on = other_;
  }

 private:
  double value(const Eigen::VectorXd& on) const {
    return on.dot(problem_.linear) - 0.5 * on.dot(problem_.weights * on) + entropy_of_bits(on);
  }

  RowMoments<Factor> moments_;
  const Eigen::VectorXd& log_odds_;
  double tau_;
  RowProblem problem_;
  RowSearch search_;
  Rng rng_;
  Eigen::VectorXd base_, load_, other_;
};

}  // namespace buffet
