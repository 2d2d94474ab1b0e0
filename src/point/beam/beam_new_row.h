#pragma once

#include <Eigen/Dense>
#include <vector>

#include "row_beam.h"
#include "sequential.h"

namespace buffet {

/// What a fit by beam search knows: the loadings of a column d are N(mean_d, covariance[of_d]).
struct BeamFit {
  Eigen::MatrixXd mean;  ///< D x K
  std::vector<Eigen::MatrixXd> covariance;
  std::vector<int> of;  ///< numbers from 0
  double variance, rho;
  std::vector<int> counts;  ///< rows that each feature has
  int rows;
};

/// The most probable features of a row that was not among the data, of those that a beam finds;
/// NaN marks what is missing. It may have singleton features.
std::vector<int> most_probable(const Eigen::VectorXd& x, const BeamFit& fit,
                               const Sequential& prior);

}  // namespace buffet
