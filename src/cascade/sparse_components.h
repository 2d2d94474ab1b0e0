#pragma once

#include <Eigen/Dense>

#include "core/check.h"

namespace buffet {

/// Principal components of data that stand out of noise, turned so that each is a matter of few
/// columns (varimax: Kaiser 1958), then without right angles, so that more so and correlated
/// (promax, loadings squared: Hendrickson & White 1964). Scores have variance 1.
struct SparseComponents {
  Eigen::MatrixXd filled;    ///< the data, what is missing as the components have it
  Eigen::RowVectorXd means;  ///< of its columns
  Eigen::MatrixXd loadings;  ///< D x K
  Eigen::MatrixXd scores;    ///< N x K, so that scores * loadings' is all that they say
  double noise = 0;          ///< variance of what they leave

  /// x: N x D, NaN where missing; at most so many components. `check` may throw.
  SparseComponents(const Eigen::MatrixXd& x, int most, const Check& check);

 private:
  /// Those of the data as they are filled, not turned. What they say of the data, less what noise
  /// has in it: missing entries that were filled with all of it would be taken for components.
  Eigen::MatrixXd set(int most);

  void turn(const Check& check);

  /// Do two of them gain by being turned against each other?
  bool turn(int a, int b);

  /// Makes them as simple as their squares are.
  void lean();

  double observed_ = 1;  ///< share of the entries
};

}  // namespace buffet
