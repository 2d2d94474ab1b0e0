#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "ascent_data.h"
#include "core/features.h"
#include "gaussian/gaussian_data.h"

namespace buffet {

/// R = X - Z E, with 0 for missing entries, as an operator: R itself is never formed. `a` is E, one
/// feature per column. Rows are given by their numbers among the worker's own rows, in increasing
/// order; sums over rows include the rows of all workers.
class Residual {
 public:
  /// `x`: the rows of the data, which are in memory.
  Residual(const GaussianData& x, const AscentData& data, const Features& z,
           const Eigen::MatrixXd& a);

  /// r_i' v for the given rows and each column of v: rows x columns of v.
  Eigen::MatrixXd scores(const std::vector<int>& rows, const Eigen::MatrixXd& v) const;

  /// Weighted sums of the given rows, D x columns of the weights: sum_i weights_i r_i.
  Eigen::MatrixXd sums(const std::vector<int>& rows, const Eigen::MatrixXd& weights) const;

  /// The sum of the values of the given rows.
  double total(const std::vector<int>& rows, const Eigen::VectorXd& values) const;

  /// For each column of the data, the sum of the integer weights of the rows that observe it, D x
  /// columns of the weights.
  Eigen::MatrixXd observed(const std::vector<int>& rows, const Eigen::MatrixXd& weights) const;

  /// |v|^2 over the entries that each of the given rows observes: rows x columns of v.
  Eigen::MatrixXd squares(const std::vector<int>& rows, const Eigen::MatrixXd& v) const;

 private:
  /// Calls term(from, to) for every block that has some of the given rows; the indices of these
  /// rows run from `from` up to, but not including, `to`.
  template <class Term>
  Eigen::VectorXd sum_of_blocks(const std::vector<int>& rows, Term term) const;
  Eigen::MatrixXd sums(const std::vector<int>& rows, const Eigen::MatrixXd& weights,
                       std::pair<int, int> range) const;

  const GaussianData& x_;
  const AscentData& data_;
  const Masks& masks_;
  const Eigen::MatrixXd& a_;
  std::vector<std::vector<int>> held_;
};

}  // namespace buffet
