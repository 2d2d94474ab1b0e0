#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "core/archive.h"
#include "core/bits.h"

namespace buffet {

/// Probabilities that rows hold features, independent, in the place of a Z that is known: K x N,
/// one row of the data a column.
struct SoftFeatures {
  Eigen::MatrixXd on;

  int rows() const { return static_cast<int>(on.cols()); }
  int size() const { return static_cast<int>(on.rows()); }
  /// Expected numbers of rows that hold each.
  Eigen::VectorXd counts() const { return on.rowwise().sum(); }

  void archive(Archive& a) { a(on); }
};

/// Entropy of independent bits that are on with these probabilities.
template <class Matrix>
double entropy_of_bits(const Matrix& on) {
  double sum = 0;
  for (Eigen::Index n = 0; n < on.size(); ++n)
    if (const double p = on(n); p > 1e-17 && p < 1)
      sum -= p * std::log(p) + (1 - p) * std::log(1 - p);
  return sum;
}

/// E[Z'Z] from the probabilities of some rows.
Eigen::MatrixXd expected_counts(const Eigen::MatrixXd& on);

Eigen::MatrixXd shared_counts(const SoftFeatures& z);

/// E[Z'Z] over the rows that are hidden.
Eigen::MatrixXd hidden_counts(const SoftFeatures& z, const Bits& hidden);

}  // namespace buffet
