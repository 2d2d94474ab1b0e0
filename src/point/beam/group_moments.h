#pragma once

#include <Eigen/Dense>

namespace buffet {

/// Distribution of a row given z in each group of columns: x ~ N(z mu, variance (1 + t)) at squared
/// distance r, with u = M z and g = mu' mu z: groups x K.
struct GroupPositions {
  Eigen::ArrayXd t, r;
  Eigen::MatrixXd u, g;

  /// Of no feature, a row of these squares.
  static GroupPositions none(const Eigen::ArrayXd& squares, Eigen::Index size);
};

/// What the posterior of the loadings given some rows says of a row to come, of all groups of
/// columns at once: M = (Z'Z + rho I)^-1 and G = mu' mu, mu the posterior mean. What a row costs is
/// loops over the groups, so an entry of all groups is one column.
class GroupMoments {
 public:
  explicit GroupMoments(Eigen::Index groups = 0) : m_(groups, 0), g_(groups, 0) {}

  Eigen::Index groups() const { return m_.rows(); }
  Eigen::Index size() const { return size_; }

  /// Entry (k, l) of each group.
  auto m(Eigen::Index k, Eigen::Index l) const { return m_.col(l * size_ + k).array(); }
  auto g(Eigen::Index k, Eigen::Index l) const { return g_.col(l * size_ + k).array(); }

  /// Column k of each group: groups x K.
  auto m(Eigen::Index k) const { return m_.middleCols(k * size_, size_); }
  auto g(Eigen::Index k) const { return g_.middleCols(k * size_, size_); }

  /// M and G of one group; the first that is set says of how many features all are.
  void set(Eigen::Index group, const Eigen::MatrixXd& m, const Eigen::MatrixXd& g);

  /// c = mu' x of each group, for P = Z'X and a row: x_P = P x.
  Eigen::MatrixXd times_m(const Eigen::MatrixXd& x_p) const;

  /// Features that no row has yet.
  void append(int count, double variance);

  /// One more row, in the groups where `has` is 1: with w = u / (1 + t) and q = c - g, M becomes
  /// M - w u' and G becomes G + w q' + q w' + r w w'. c = mu' x.
  void learn(const GroupPositions& at, const Eigen::MatrixXd& c, const Eigen::ArrayXd& has);

 private:
  Eigen::MatrixXd m_, g_;  ///< groups x K^2
  Eigen::Index size_ = 0;
};

}  // namespace buffet
