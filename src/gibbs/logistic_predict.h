#pragma once

#include <Eigen/Dense>

#include "core/features.h"
#include "core/fitted.h"
#include "core/logistic_normal.h"
#include "likelihood/logistic.h"
#include "new_row.h"

namespace buffet {

/// Log odds of ones, D x N.
inline Eigen::MatrixXd log_odds(const Features& z, const Logistic& likelihood) {
  Eigen::MatrixXd psi = likelihood.bias().replicate(1, z.rows());
  add_fitted(z, likelihood.weights(), psi);
  return psi;
}
/// The probabilities of ones, D x N.
inline Eigen::MatrixXd probabilities(const Features& z, const Logistic& likelihood) {
  return log_odds(z, likelihood).unaryExpr(&sigmoid);
}

/// A row that is not in the data, given the weights.
class NewBinaryRow : public KnownNewRow<BinaryData, Logistic> {
 public:
  /// signs: the observed entries of the new row, as in BinaryData.
  NewBinaryRow(const BinaryData::Signs& signs, const Logistic& given)
      : KnownNewRow(BinaryData(both(signs)), given.scales(),
                    static_cast<int>(given.weights().cols())) {
    likelihood_.set_weights(given.weights(), given.bias());
  }

  /// Probabilities of ones.
  Eigen::VectorXd mean() const { return probabilities(z_, likelihood_).col(1); }

  DrawnRow draw(Rng& rng) const {
    const Eigen::VectorXd p = mean();
    return {p, p.unaryExpr([&](double one) { return rng.bernoulli(one) ? 1.0 : 0.0; })};
  }
};

}  // namespace buffet
