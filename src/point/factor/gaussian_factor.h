#pragma once

#include <Eigen/Dense>
#include <type_traits>
#include <vector>

#include "core/archive.h"
#include "core/features.h"
#include "core/truncated_normal.h"
#include "gaussian/gaussian_masks.h"
#include "gaussian/gaussian_moments.h"
#include "gaussian/gaussian_scales.h"
#include "loadings_factor.h"

namespace buffet {

/// When to end the passes over q(A): after this many, or when the bound can gain no more than a
/// share of the gain from the first pass, or no more than an absolute value.
struct Passes {
  int most = 20;
  double share = 0.05, enough = 0.01;
};

/// q(A) = prod of Loading(a_kd; location_kd, scale_kd^2), the variational factor of normal or
/// nonnegative loadings, and the factors of the precisions: Reed & Ghahramani (2013) sections 3 and
/// S.3. Z is a point (Features) or has its own factor (SoftFeatures).
template <class Loading>
class GaussianFactor : public LoadingsFactor {
 public:
  static constexpr bool nonnegative = std::is_same_v<Loading, NonnegativeNormal>;

  GaussianFactor(const Masks& masks, int columns, const Precisions& precisions);

  const Eigen::MatrixXd& variance() const { return variance_; }  ///< D x K
  const Eigen::MatrixXd& location() const { return location_; }
  const Eigen::MatrixXd& scale() const { return scale_; }
  double entropy(int k) const { return entropy_(k); }
  /// E |a_k|^2.

  /// Counterparts of Features::add and Features::drop; the loadings remain valid until the next
  /// update().
  void append(const Eigen::VectorXd& sum, const Eigen::VectorXd& loading);
  void drop(int k);

  /// Reorders the features.
  void reorder(const Eigen::PermutationMatrix<Eigen::Dynamic>& order);

  /// Copies loadings found elsewhere; no row has a feature yet.
  void adopt(const Eigen::MatrixXd& mean, const Eigen::MatrixXd& variance);

  /// The contribution of feature k to the bound from its loadings alone (eta_k of eq. 12 without
  /// log alpha).
  double log_own(int k) const;

  /// Sum of E[a a'] over all columns of the data, and over some of the columns, K x K.
  Eigen::MatrixXd moments() const;
  Eigen::MatrixXd moments(const std::vector<int>& columns) const;

  /// The bound without the prior of Z, for data with `observed` observed entries.
  double bound(double observed) const;

  /// Makes passes over q(A), eqs. 13-17, then updates the learned precisions, eqs. 39-43. `total`
  /// is the data's sum of squares.
  void update(const HeldCounts& held, double total, const Passes& passes, int threads);

  void archive(Archive& a) {
    for (auto* m : {&sums_, &mean_, &variance_, &location_, &scale_}) a(*m);
    for (auto* v : {&second_, &entropy_}) a(*v);
    a(residual_);
    a(x_);
    a(a_);
  }
  /// True if every part has this number of features and columns.
  bool fits(int columns, int features) const {
    for (const auto* m : {&sums_, &mean_, &variance_, &location_, &scale_})
      if (m->rows() != columns || m->cols() != features) return false;
    return second_.size() == features && entropy_.size() == features;
  }

 private:
  static constexpr int chunk = 128;

  /// Columns of the data with the same missing rows. Given Z, their loadings do not depend on the
  /// loadings of other columns.
  struct Task {
    const Masks::Columns* columns;
    int group, from, count;

    int column(int n) const { return columns->columns[from + n]; }
  };
  struct Totals {
    double fit = 0, spread = 0;  ///< sum of S o E, and sum over d of E[a' C a]
    Eigen::VectorXd second, entropy;
  };

  std::vector<Task> tasks() const;

  void update_loadings(const HeldCounts& held, double total, const Passes& passes, int threads);

  Totals update_task(const Task& task, const Eigen::MatrixXd& c, const Passes& passes);

  /// One pass over the features; returns the approximate gain in the bound.
  double pass(const Task& task, const Eigen::MatrixXd& c, const Eigen::MatrixXd& sums,
              Eigen::MatrixXd& mean);

  Totals summarise(const Task& task, const Eigen::MatrixXd& c, const Eigen::MatrixXd& sums,
                   const Eigen::MatrixXd& mean);

  Eigen::MatrixXd variance_, location_, scale_;
  Eigen::VectorXd second_, entropy_;
};

extern template class GaussianFactor<NonnegativeNormal>;
extern template class GaussianFactor<UntruncatedNormal>;

}  // namespace buffet
