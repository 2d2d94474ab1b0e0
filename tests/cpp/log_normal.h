#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace test {

/// log p(x) of the observed entries under a normal distribution with this covariance.
inline double log_normal(const Eigen::VectorXd& x, const Eigen::MatrixXd& covariance) {
  std::vector<int> seen;
  for (int d = 0; d < x.size(); ++d)
    if (!std::isnan(x(d))) seen.push_back(d);
  const auto size = static_cast<Eigen::Index>(seen.size());
  Eigen::VectorXd y(size);
  Eigen::MatrixXd s(size, size);
  for (Eigen::Index a = 0; a < size; ++a) {
    y(a) = x(seen[a]);
    for (Eigen::Index b = 0; b < size; ++b) s(a, b) = covariance(seen[a], seen[b]);
  }
  const Eigen::LLT<Eigen::MatrixXd> llt(s);
  return -0.5 * (size * std::log(2 * M_PI) + y.dot(llt.solve(y))) -
         llt.matrixLLT().diagonal().array().log().sum();
}

}  // namespace test
