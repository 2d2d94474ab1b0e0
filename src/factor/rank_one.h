#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/features.h"
#include "gaussian/gaussian_data.h"
#include "weight_laws.h"

namespace buffet {

/// X - V A, transposed, with missing entries as 0; `a` is A', D x K.
inline Eigen::MatrixXd residuals(const GaussianData& data, const Eigen::MatrixXd& a,
                                 const Eigen::MatrixXd& v) {
  Eigen::MatrixXd rest = -a * v.transpose();
  for (int i = 0; i < data.rows(); ++i) data.add(i, 1, rest.col(i));
  return rest;
}

/// Initial weights, within the support of their distribution.
template <class Law>
double as_weight(double v) {
  return v;
}
template <>
inline double as_weight<NonnegativeWeight>(double v) {
  return std::max(v, 0.01);
}
template <>
inline double as_weight<CountWeight>(double v) {
  return std::max(1.0, std::round(v));
}

/// Weights, N x K. Features are taken in turn, starting from the one that most rows have; the
/// weights of its rows are the first singular vector of the residuals of these rows given the
/// earlier features. The weights have mean square 1, and most of them are positive.
template <class Law>
Eigen::MatrixXd weights_of_rank_one(const Features& z, const GaussianData& data) {
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(data.rows(), z.size());
  Eigen::MatrixXd rest = residuals(data, Eigen::MatrixXd::Zero(data.width(), z.size()), v);
  std::vector<int> order(z.size());
  for (int k = 0; k < z.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](int k, int l) { return z.count(k) > z.count(l); });
  for (int k : order) {
    Eigen::VectorXd left = Eigen::VectorXd::Zero(data.rows());
    z.column(k).for_each([&](int i) { left(i) = 1; });
    const Eigen::ArrayXd on = left;
    for (int n = 0; n < 30; ++n) {
      const Eigen::VectorXd right = rest * left;
      const Eigen::VectorXd next = on * (rest.transpose() * right).array();
      if (!(next.norm() > 0)) break;
      left = next * (std::sqrt(on.sum()) / next.norm());
    }
    if (left.sum() < 0) left = -left;
    rest -= (rest * left) * left.transpose() / on.sum();
    z.column(k).for_each([&](int i) { v(i, k) = as_weight<Law>(left(i)); });
  }
  return v;
}

}  // namespace buffet
