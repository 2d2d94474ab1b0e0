#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace buffet {

/// Data of a linear-Gaussian model, one observation a column, for which loadings are integrated
/// out. The model is rotation invariant, so data with more columns than rows are replaced by the
/// triangle of the same Gram matrix: the likelihood is the same and `columns` stays the true D.
struct GaussianData {
  Eigen::MatrixXd x;        ///< min(N, D) x N
  Eigen::VectorXd squares;  ///< |x_i|^2
  double total = 0;         ///< sum of squares
  int columns = 0;          ///< D

  /// From one observation a column (D x N).
  explicit GaussianData(Eigen::MatrixXd observations, bool rotate = true)
      : columns(static_cast<int>(observations.rows())) {
    if (rotate && observations.rows() > observations.cols())
      x = triangle(observations.transpose() * observations);
    else
      x = std::move(observations);
    squares = x.colwise().squaredNorm();
    total = squares.sum();
  }

  int rows() const { return static_cast<int>(x.cols()); }
  double root_mean_square() const { return std::sqrt(total / (double(rows()) * columns)); }

 private:
  /// R with R'R = gram, from a pivoted Cholesky decomposition: gram may be singular.
  static Eigen::MatrixXd triangle(const Eigen::MatrixXd& gram) {
    const Eigen::LDLT<Eigen::MatrixXd> ldlt(gram);
    const Eigen::VectorXd scale = ldlt.vectorD().cwiseMax(0.0).cwiseSqrt();
    return scale.asDiagonal() * Eigen::MatrixXd(ldlt.matrixU()) *
           (ldlt.transpositionsP() * Eigen::MatrixXd::Identity(gram.rows(), gram.rows()));
  }
};

}  // namespace buffet
