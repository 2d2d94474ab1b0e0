#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/features.h"
#include "likelihood/gaussian_data.h"
#include "likelihood/gaussian_masks.h"

namespace buffet {

/// R = X - Z E, 0 where entries are missing, as an operator: R itself is never formed. `a` is E,
/// one feature a column.
class Residual {
 public:
  Residual(const GaussianData& x, const Masks& masks, const Features& z, const Eigen::MatrixXd& a)
      : x_(x), masks_(masks), a_(a), held_(x.rows()) {
    for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { held_[i].push_back(k); });
  }

  /// r_i' v for some rows, with a column of v each: rows x columns of v.
  Eigen::MatrixXd scores(const std::vector<int>& rows, const Eigen::MatrixXd& v) const {
    const Eigen::MatrixXd all = v.transpose() * a_;
    Eigen::MatrixXd shared = all, scores(v.cols(), rows.size());
    int pattern = -1;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const int i = rows[n];
      if (masks_.pattern_of(i) != pattern) {
        pattern = masks_.pattern_of(i);
        shared = all;
        for (int d : masks_.hidden(pattern)) shared -= v.row(d).transpose() * a_.row(d);
      }
      scores.col(n) = x_.times(v, i);
      for (int k : held_[i]) scores.col(n) -= shared.col(k);
    }
    return scores.transpose();
  }

  /// Weighted sums of some rows, D x columns of the weights: sum_i weights_i r_i.
  Eigen::MatrixXd sums(const std::vector<int>& rows, const Eigen::MatrixXd& weights) const {
    const auto size = weights.cols();
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(x_.width(), size);
    Eigen::MatrixXd held = Eigen::MatrixXd::Zero(a_.cols(), size), all = held;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      for (int c = 0; c < size; ++c)
        if (weights(n, c) != 0) x_.add(rows[n], weights(n, c), sums.col(c));
      for (int k : held_[rows[n]]) held.row(k) += weights.row(n);
      const int pattern = masks_.pattern_of(rows[n]);
      if (n + 1 < rows.size() && masks_.pattern_of(rows[n + 1]) == pattern) continue;
      for (int d : masks_.hidden(pattern)) sums.row(d) += a_.row(d) * held;
      all += held;
      held.setZero();
    }
    sums.noalias() -= a_ * all;
    return sums;
  }

  /// Sum of weights of the rows that observe each entry, D x columns of the weights.
  Eigen::MatrixXd observed(const std::vector<int>& rows, const Eigen::MatrixXd& weights) const {
    const Eigen::RowVectorXd all = weights.colwise().sum();
    Eigen::MatrixXd counts = all.replicate(x_.width(), 1);
    Eigen::RowVectorXd same = Eigen::RowVectorXd::Zero(weights.cols());
    for (std::size_t n = 0; n < rows.size(); ++n) {
      same += weights.row(n);
      const int pattern = masks_.pattern_of(rows[n]);
      if (n + 1 < rows.size() && masks_.pattern_of(rows[n + 1]) == pattern) continue;
      for (int d : masks_.hidden(pattern)) counts.row(d) -= same;
      same.setZero();
    }
    return counts;
  }

  /// |v|^2 over the entries that each of some rows observes: rows x columns of v.
  Eigen::MatrixXd squares(const std::vector<int>& rows, const Eigen::MatrixXd& v) const {
    const Eigen::RowVectorXd all = v.colwise().squaredNorm();
    Eigen::MatrixXd squares = all.replicate(rows.size(), 1);
    for (std::size_t n = 0; n < rows.size(); ++n)
      x_.for_hidden(rows[n], [&](int d) { squares.row(n) -= v.row(d).cwiseAbs2(); });
    return squares;
  }

 private:
  const GaussianData& x_;
  const Masks& masks_;
  const Eigen::MatrixXd& a_;
  std::vector<std::vector<int>> held_;
};

}  // namespace buffet
