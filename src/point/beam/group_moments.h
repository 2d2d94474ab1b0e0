#pragma once

#include <Eigen/Dense>

namespace buffet {

/// Distribution of a row given z in each group of columns: x ~ N(z mu, variance (1 + t)) with
/// squared distance r from the mean. u = M z and g = mu' mu z are groups x K.
struct GroupPositions {
  Eigen::ArrayXd t, r;
  Eigen::MatrixXd u, g;

  /// The position without features, for a row with these sums of squares.
  static GroupPositions none(const Eigen::ArrayXd& squares, Eigen::Index size);
};

/// The posterior of the loadings given some rows, in the form needed for a later row, for all
/// groups of columns at once: M = (Z'Z + rho I)^-1 and G = mu' mu, where mu is the posterior mean.
/// The cost of a row is dominated by loops over the groups, so the same entry of all groups is
/// stored as one column.
class GroupMoments {
 public:
  explicit GroupMoments(Eigen::Index groups = 0) : m_(groups, 0), g_(groups, 0) {}

  Eigen::Index groups() const { return m_.rows(); }
  Eigen::Index size() const { return size_; }

  /// Entry (k, l) for each group.
  auto m(Eigen::Index k, Eigen::Index l) const { return m_.col(l * size_ + k).array(); }
  auto g(Eigen::Index k, Eigen::Index l) const { return g_.col(l * size_ + k).array(); }

  /// Column k for each group: groups x K.
  auto m(Eigen::Index k) const { return m_.middleCols(k * size_, size_); }
  auto g(Eigen::Index k) const { return g_.middleCols(k * size_, size_); }

  /// Sets M and G of one group; the first call determines the number of features of all groups.
  void set(Eigen::Index group, const Eigen::MatrixXd& m, const Eigen::MatrixXd& g);

  /// c = mu' x for each group, for P = Z'X and a row: x_P = P x.
  Eigen::MatrixXd times_m(const Eigen::MatrixXd& x_p) const;

  /// Appends features that no row has yet.
  void append(int count, double variance);

  /// Adds one row, in the groups where `has` is 1: with w = u / (1 + t) and q = c - g, M becomes M
  /// - w u' and G becomes G + w q' + q w' + r w w'. c = mu' x.
  void learn(const GroupPositions& at, const Eigen::MatrixXd& c, const Eigen::ArrayXd& has);

 private:
  Eigen::MatrixXd m_, g_;  ///< groups x K^2
  Eigen::Index size_ = 0;
};

}  // namespace buffet
