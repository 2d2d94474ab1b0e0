#pragma once

#include <Eigen/Dense>
#include <cmath>

namespace buffet {

/// Replaces the lower triangle of m by its Cholesky factor, column by column. For up to a hundred
/// rows, this is two to three times as fast as the decomposition in Eigen, which uses blocks for
/// 32 rows or more.
inline void cholesky_in_place(Eigen::MatrixXd& m) {
  const Eigen::Index n = m.rows();
  for (Eigen::Index k = 0; k < n; ++k) {
    auto column = m.col(k).tail(n - k);
    if (k > 0) column.noalias() -= m.block(k, 0, n - k, k) * m.row(k).head(k).transpose();
    column /= std::sqrt(column(0));
  }
}

}  // namespace buffet
