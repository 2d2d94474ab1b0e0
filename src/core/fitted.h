#pragma once

#include <Eigen/Dense>

#include "features.h"

namespace buffet {

/// Adds Z A to `sum` (D x N), given a = A' (D x K).
inline void add_fitted(const Features& z, const Eigen::MatrixXd& a, Eigen::MatrixXd& sum) {
  for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { sum.col(i) += a.col(k); });
}

}  // namespace buffet
