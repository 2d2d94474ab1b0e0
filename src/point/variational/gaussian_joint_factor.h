#pragma once

#include <Eigen/Dense>
#include <type_traits>
#include <vector>

#include "core/archive.h"
#include "core/truncated_normal.h"
#include "gaussian/gaussian_masks.h"
#include "gaussian/gaussian_scales.h"
#include "orthant.h"
#include "point/factor/gaussian_factor.h"

namespace buffet {

/// q(A) = prod over columns d of N(a_d; m_d, V_d), joint over all features of a column (Ding et al.
/// 2010). Given the other factors, it is exact for normal loadings and found by expectation
/// propagation for nonnegative ones. It is always optimal given the other factors, so the bound
/// contains the integral over the loadings instead.
template <class Loading>
class GaussianJointFactor : public LoadingsFactor {
 public:
  static constexpr bool nonnegative = std::is_same_v<Loading, NonnegativeNormal>;

  GaussianJointFactor(const Masks& masks, int columns, const Precisions& precisions);

  /// V_d of column d.
  const Eigen::MatrixXd& covariance(int d) const { return covariances_[covariance_of(d)]; }
  /// The distinct covariances; covariance_ has the index of each column's covariance.
  const std::vector<Eigen::MatrixXd>& covariances() const { return covariances_; }
  int covariance_of(int d) const { return nonnegative ? d : group_of_[d]; }

  /// Appends a feature with an initial guess for its loadings.
  void append(const Eigen::VectorXd& sum, const Eigen::VectorXd& loading);

  /// Sum of E[a a'] over all columns of the data, and over some of the columns, K x K.
  Eigen::MatrixXd moments() const;
  Eigen::MatrixXd moments(const std::vector<int>& columns) const;

  /// The bound without q(Z), or its counterpart in expectation propagation.
  double bound(double observed) const;

  /// Updates the learned precisions given the current loadings, then the loadings.
  void update(const HeldCounts& held, double total, const Passes&, int threads);

  void archive(Archive& a) {
    for (auto* m : {&sums_, &mean_, &site_precision_, &site_shift_}) a(*m);
    for (Eigen::MatrixXd& v : covariances_) a(v);
    for (double* v : {&residual_, &total_, &log_integrals_}) a(*v);
    a(x_);
    a(a_);
  }
  /// True if every part has this number of features and columns.
  bool fits(int columns, int features) const {
    for (const auto* m : {&sums_, &mean_, &site_precision_, &site_shift_})
      if (m->rows() != columns || m->cols() != features) return false;
    for (const Eigen::MatrixXd& v : covariances_)
      if (v.rows() != features || v.cols() != features) return false;
    return true;
  }

 private:
  double residual_of(const std::vector<Eigen::MatrixXd>& counts) const;

  void update_loadings(const std::vector<Eigen::MatrixXd>& counts, int threads);

  /// Computes the normal loadings of columns with precision Q; returns the sum of the log
  /// integrals.
  double solve(const Eigen::MatrixXd& q, const std::vector<int>& columns, Eigen::MatrixXd& v);

  /// Computes the nonnegative loadings of columns with precision Q; returns the sum of the log
  /// integrals.
  double propagate(const Eigen::MatrixXd& q, const std::vector<int>& columns, int threads);

  std::vector<int> group_of_;
  Eigen::MatrixXd site_precision_, site_shift_;
  std::vector<Eigen::MatrixXd> covariances_;
  double total_ = 0, log_integrals_ = 0;
};

extern template class GaussianJointFactor<NonnegativeNormal>;
extern template class GaussianJointFactor<UntruncatedNormal>;

}  // namespace buffet
