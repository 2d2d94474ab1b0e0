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
  Residual(const GaussianData& x, const Masks& masks, const Features& z, const Eigen::MatrixXd& a);

  /// r_i' v for some rows, with a column of v each: rows x columns of v.
  Eigen::MatrixXd scores(const std::vector<int>& rows, const Eigen::MatrixXd& v) const;

  /// Weighted sums of some rows, D x columns of the weights: sum_i weights_i r_i.
  Eigen::MatrixXd sums(const std::vector<int>& rows, const Eigen::MatrixXd& weights) const;

  /// Sum of weights of the rows that observe each entry, D x columns of the weights.
  Eigen::MatrixXd observed(const std::vector<int>& rows, const Eigen::MatrixXd& weights) const;

  /// |v|^2 over the entries that each of some rows observes: rows x columns of v.
  Eigen::MatrixXd squares(const std::vector<int>& rows, const Eigen::MatrixXd& v) const;

 private:
  const GaussianData& x_;
  const Masks& masks_;
  const Eigen::MatrixXd& a_;
  std::vector<std::vector<int>> held_;
};

}  // namespace buffet
