#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "../core/features.h"
#include "../core/logistic_normal.h"
#include "../core/rng.h"
#include "logistic.h"

namespace buffet {

/// Log odds of ones, D x N.
inline Eigen::MatrixXd log_odds(const Features& z, const Logistic& likelihood) {
  Eigen::MatrixXd psi = likelihood.bias().replicate(1, z.rows());
  for (int k = 0; k < z.size(); ++k)
    z.column(k).for_each([&](int i) { psi.col(i) += likelihood.weights().col(k); });
  return psi;
}
/// Their probabilities.
inline Eigen::MatrixXd probabilities(const Features& z, const Logistic& likelihood) {
  return log_odds(z, likelihood).unaryExpr(&sigmoid);
}

/// The features of a row that was not among the data, given weights. Beside it stands one that has
/// all features, as the rows of the data have them.
class NewBinaryRow {
 public:
  /// signs: those of the new row.
  NewBinaryRow(const BinaryData::Signs& signs, const Logistic& given)
      : data_(both(signs)), likelihood_(data_, given.scales()), z_(2) {
    likelihood_.set_weights(given.weights(), given.bias());
    for (int k = 0; k < given.weights().cols(); ++k) {
      Bits column(2);
      column.set(0);
      z_.add(column);
    }
  }
  NewBinaryRow(const NewBinaryRow&) = delete;  // likelihood_ points to data_

  template <class LogOdds, class Rule>
  void sweep(LogOdds log_odds, Rule rule, Rng& rng) {
    likelihood_.enter(z_, 1);
    rng.permutation(z_.size(), order_);
    for (int k : order_) {
      if (z_.is_own(1, k)) continue;
      if (rule(log_odds(k) + likelihood_.log_ratio(k)) == z_.at(1, k)) continue;
      z_.flip(1, k);
      likelihood_.flip(k);
    }
  }

  /// Draws what only the new row has; ends the sweep.
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    likelihood_.leave(z_, likelihood_.draw_own(log_prior_ratio, rng));
  }

  Eigen::VectorXd mean() const { return probabilities(z_, likelihood_).col(1); }

  /// Bits of the features of the data, which stay in front.
  Eigen::VectorXd bits(int count) const {
    Eigen::VectorXd bits(count);
    for (int k = 0; k < count; ++k) bits(k) = z_.at(1, k);
    return bits;
  }

 private:
  static BinaryData both(const BinaryData::Signs& signs) {
    BinaryData::Signs both = BinaryData::Signs::Zero(signs.size(), 2);
    both.col(1) = signs;
    return BinaryData(std::move(both));
  }

  BinaryData data_;
  Logistic likelihood_;
  Features z_;
  std::vector<int> order_;
};

}  // namespace buffet
