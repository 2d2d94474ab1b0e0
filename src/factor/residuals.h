#pragma once

#include <Eigen/Dense>

#include "likelihood/gaussian_data.h"

namespace buffet {

/// X - V A, transposed, what is missing being held as 0; `a` is A', D x K.
inline Eigen::MatrixXd residuals(const GaussianData& data, const Eigen::MatrixXd& a,
                                 const Eigen::MatrixXd& v) {
  Eigen::MatrixXd rest = -a * v.transpose();
  for (int i = 0; i < data.rows(); ++i) data.add(i, 1, rest.col(i));
  return rest;
}

}  // namespace buffet
