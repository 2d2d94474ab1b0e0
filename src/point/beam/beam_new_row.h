#pragma once

#include <Eigen/Dense>
#include <vector>

#include "row_beam.h"
#include "sequential.h"

namespace buffet {

/// The parameters of a fit by beam search; the loadings of column d are N(mean_d,
/// covariance[of_d]).
struct BeamFit {
  Eigen::MatrixXd mean;  ///< D x K
  std::vector<Eigen::MatrixXd> covariance;
  std::vector<int> of;  ///< numbers from 0
  double variance, rho;
  std::vector<int> counts;  ///< number of rows with each feature
  int rows;
};

/// The most probable features, among the candidates of a beam search, of a row that is not in the
/// data; NaN marks missing entries. The row may have singletons.
std::vector<int> most_probable(const Eigen::VectorXd& x, const BeamFit& fit,
                               const Sequential& prior);

}  // namespace buffet
