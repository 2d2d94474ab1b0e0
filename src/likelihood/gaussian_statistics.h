#pragma once

#include <Eigen/Dense>

#include "core/archive.h"
#include "core/features.h"
#include "core/resize.h"
#include "gaussian_data.h"

namespace buffet {

/// Z'Z.
inline Eigen::MatrixXd shared_counts(const Features& z) {
  const int size = z.size();
  Eigen::MatrixXd c(size, size);
  for (int k = 0; k < size; ++k) {
    c(k, k) = z.count(k);
    for (int l = 0; l < k; ++l) c(k, l) = c(l, k) = z.count_shared(k, l);
  }
  return c;
}

/// Z'Z over the rows that are hidden.
inline Eigen::MatrixXd hidden_counts(const Features& z, const Bits& hidden) {
  Eigen::MatrixXd c(z.size(), z.size());
  for (int k = 0; k < z.size(); ++k) {
    Bits both = z.column(k);
    both &= hidden;
    for (int l = 0; l <= k; ++l) c(k, l) = c(l, k) = both.count_shared(z.column(l));
  }
  return c;
}

/// What the collapsed likelihood needs of Z and X: C = Z'Z, P = X'Z and the sum of squares of X.
struct GaussianStatistics {
  Eigen::MatrixXd c;  ///< K x K
  Eigen::MatrixXd p;  ///< D x K, one feature a column
  double total = 0;

  void set(const Features& z, const Completed& x) {
    p.resize(x.data().width(), z.size());
    for (int k = 0; k < z.size(); ++k) p.col(k) = x.sum(z.column(k));
    set_counts(z);
    total = x.total();
  }

  /// C from Z.
  void set_counts(const Features& z) { c = shared_counts(z); }

  /// Recomputes all that depends on column k of z.
  void set_column(int k, const Features& z, const Completed& x) {
    p.col(k) = x.sum(z.column(k));
    for (int l = 0; l < z.size(); ++l) c(k, l) = c(l, k) = z.count_shared(k, l);
  }

  /// Follows Features::add for a new last column.
  void add_column(const Features& z, const Completed& x) {
    const int size = z.size();
    p.conservativeResize(x.data().width(), size);
    c.conservativeResize(size, size);
    set_column(size - 1, z, x);
  }

  /// |X - Z A|^2, of loadings D x K.
  double left_squares(const Eigen::MatrixXd& a) const {
    return total - 2 * a.cwiseProduct(p).sum() + (a.transpose() * a).cwiseProduct(c).sum();
  }

  void archive(Archive& a) {
    a(c);
    a(p);
    a(total);
    a.check(c.rows() == c.cols() && p.cols() == c.cols(), "sums of the data");
  }
  /// Of so many columns, and of z?
  bool fits(Eigen::Index columns, const Features& z) const {
    return p.rows() == columns && p.cols() == z.size();
  }

  void drop(int k) {
    drop_column(p, k);
    drop_both(c, k);
  }
};

}  // namespace buffet
