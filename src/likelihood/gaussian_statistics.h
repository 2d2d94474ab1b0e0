#pragma once

#include <Eigen/Dense>

#include "../core/features.h"
#include "gaussian_data.h"
#include "resize.h"

namespace buffet {

/// Sum of the given rows of the data.
inline Eigen::VectorXd sum_rows(const Bits& rows, const GaussianData& data) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(data.x.rows());
  rows.for_each([&](int i) { sum += data.x.col(i); });
  return sum;
}

/// What the collapsed likelihood needs of Z and X: C = Z'Z and P = X'Z.
struct GaussianStatistics {
  Eigen::MatrixXd c;  ///< K x K
  Eigen::MatrixXd p;  ///< D x K, one feature a column

  void set(const Features& z, const GaussianData& data) {
    p.resize(data.x.rows(), z.size());
    for (int k = 0; k < z.size(); ++k) p.col(k) = sum_rows(z.column(k), data);
    set_counts(z);
  }

  /// C from Z.
  void set_counts(const Features& z) {
    const int size = z.size();
    c.resize(size, size);
    for (int k = 0; k < size; ++k) {
      c(k, k) = z.count(k);
      for (int l = 0; l < k; ++l) c(k, l) = c(l, k) = z.count_shared(k, l);
    }
  }

  /// Recomputes all that depends on column k of z.
  void set_column(int k, const Features& z, const GaussianData& data) {
    p.col(k) = sum_rows(z.column(k), data);
    for (int l = 0; l < z.size(); ++l) c(k, l) = c(l, k) = z.count_shared(k, l);
  }

  /// Follows Features::add for a new last column.
  void add_column(const Features& z, const GaussianData& data) {
    const int size = z.size();
    p.conservativeResize(data.x.rows(), size);
    c.conservativeResize(size, size);
    set_column(size - 1, z, data);
  }

  void drop(int k) {
    drop_column(p, k);
    drop_both(c, k);
  }
};

}  // namespace buffet
