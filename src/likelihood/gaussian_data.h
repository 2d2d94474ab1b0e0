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

  using Matrix = Eigen::Ref<const Eigen::MatrixXd>;

  /// From one observation a column (D x N).
  explicit GaussianData(const Matrix& observations, bool rotate = true)
      : GaussianData(Coordinates{rotate && observations.rows() > observations.cols()
                                     ? triangle(observations.transpose() * observations)
                                     : Eigen::MatrixXd(observations),
                                 observations.rows()}) {}

  /// From one observation a row (N x D), without a copy where that is the larger side.
  static GaussianData from_rows(const Matrix& observations) {
    if (observations.cols() > observations.rows())
      return Coordinates{triangle(observations * observations.transpose()), observations.cols()};
    return Coordinates{observations.transpose(), observations.cols()};
  }

  int rows() const { return static_cast<int>(x.cols()); }
  double root_mean_square() const { return std::sqrt(total / (double(rows()) * columns)); }

 private:
  struct Coordinates {
    Eigen::MatrixXd x;
    Eigen::Index columns;
  };

  GaussianData(Coordinates coordinates)
      : x(std::move(coordinates.x)),
        squares(x.colwise().squaredNorm()),
        total(squares.sum()),
        columns(static_cast<int>(coordinates.columns)) {}

  /// R with R'R = gram, from a pivoted Cholesky decomposition: gram may be singular.
  static Eigen::MatrixXd triangle(const Eigen::MatrixXd& gram) {
    const Eigen::LDLT<Eigen::MatrixXd> ldlt(gram);
    const Eigen::VectorXd scale = ldlt.vectorD().cwiseMax(0.0).cwiseSqrt();
    return scale.asDiagonal() * Eigen::MatrixXd(ldlt.matrixU()) *
           (ldlt.transpositionsP() * Eigen::MatrixXd::Identity(gram.rows(), gram.rows()));
  }
};

}  // namespace buffet
