#pragma once

#include <Eigen/Dense>
#include <cmath>

namespace buffet {

/// Probabilities that rows hold features, independent, in the place of a Z that is known: K x N,
/// one row of the data a column; those of the rows that a member of a team has.
struct SoftFeatures {
  Eigen::MatrixXd on;

  int rows() const { return static_cast<int>(on.cols()); }
  int size() const { return static_cast<int>(on.rows()); }
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
template <class Matrix>
Eigen::MatrixXd expected_counts(const Matrix& on) {
  Eigen::MatrixXd c = on * on.transpose();
  c.diagonal() = on.rowwise().sum();
  return c;
}

}  // namespace buffet
