#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/features.h"
#include "core/resize.h"

namespace buffet {

/// An array of D numbers for every pair of features: k >= l at k (k + 1) / 2 + l. The order of
/// pairs follows the columns of Features as described in resize.h.
class PairArrays {
 public:
  PairArrays(int width, int size)
      : size_(size), arrays_(Eigen::ArrayXXd::Zero(width, pairs(size))) {}

  int size() const { return size_; }
  auto of(int k, int l) { return arrays_.col(pair(k, l)); }
  auto of(int k, int l) const { return arrays_.col(pair(k, l)); }
  /// The arrays for the pairs of k with 0, ..., k, in this order.
  auto up_to(int k) { return arrays_.middleCols(pair(k, 0), k + 1); }
  auto up_to(int k) const { return arrays_.middleCols(pair(k, 0), k + 1); }

  void append() {
    arrays_.conservativeResize(Eigen::NoChange, pairs(++size_));
    for (int l = 0; l < size_; ++l) of(size_ - 1, l).setZero();
  }
  void drop(int k) {
    const int last = --size_;
    if (k != last) {
      for (int l = 0; l < last; ++l)
        if (l != k) of(k, l) = of(last, l);
      of(k, k) = of(last, last);
    }
    arrays_.conservativeResize(Eigen::NoChange, pairs(last));
  }

 private:
  static int pair(int k, int l) { return k >= l ? k * (k + 1) / 2 + l : pair(l, k); }
  static int pairs(int size) { return size * (size + 1) / 2; }

  int size_;
  Eigen::ArrayXXd arrays_;
};

/// The data of D normal regressions on Z, one observation per column: the precision omega of each
/// entry, and kappa = omega times its value; both are 0 for missing entries.
struct RegressionData {
  Eigen::MatrixXd omega, kappa;  ///< D x N
  int width() const { return static_cast<int>(omega.rows()); }
};

/// Prior precisions of the regression coefficients: of the weights, and of the bias if there is
/// one.
struct RegressionPrior {
  double weight, bias = 0;
  bool has_bias = false;
};

/// The contribution of a column to RegressionStatistics: a row of Lambda without its diagonal
/// element, the diagonal element, and h.
struct RegressionRow {
  Eigen::ArrayXXd with;  ///< D x features
  Eigen::ArrayXd self, h;

  /// The contribution of an observation that has these features.
  template <class Omega, class Kappa>
  void add(const std::vector<int>& on, const Omega& omega, const Kappa& kappa) {
    for (int l : on) with.col(l) += omega;
    self += omega;
    h += kappa;
  }
};

/// Lambda_j = Z' diag(omega_j) Z and h_j = Z' kappa_j for all D regressions at once. The bias is a
/// feature that every row has, before the others.
class RegressionStatistics {
 public:
  RegressionStatistics(const Features& z, const RegressionData& data, bool bias)
      : first_(bias ? 1 : 0),
        h_(Eigen::ArrayXXd::Zero(data.width(), first_ + z.size())),
        lambda_(data.width(), first_ + z.size()) {
    std::vector<int> on;
    for (int i = 0; i < z.rows(); ++i) {
      held(z, i, on);
      for (int k : on) {
        h_.col(k) += data.kappa.col(i).array();
        for (int l : on)
          if (l <= k) lambda_.of(k, l) += data.omega.col(i).array();
      }
    }
  }

  int size() const { return static_cast<int>(h_.cols()); }
  int width() const { return static_cast<int>(h_.rows()); }
  auto lambda(int k, int l) const { return lambda_.of(k, l); }
  auto h(int k) const { return h_.col(k); }

  /// Recomputes everything that depends on column k of z.
  void set_column(int k, const Features& z, const RegressionData& data) {
    const int at = first_ + k;
    h_.col(at).setZero();
    for (int l = 0; l < size(); ++l) lambda_.of(at, l).setZero();
    std::vector<int> on;
    z.column(k).for_each([&](int i) {
      held(z, i, on);
      h_.col(at) += data.kappa.col(i).array();
      for (int l : on) lambda_.of(at, l) += data.omega.col(i).array();
    });
  }
  /// The contribution of a column that is not in z.
  RegressionRow row_of(const Bits& column, const Features& z, const RegressionData& data) const {
    const Eigen::ArrayXd none = Eigen::ArrayXd::Zero(data.width());
    RegressionRow row{Eigen::ArrayXXd::Zero(data.width(), size()), none, none};
    std::vector<int> on;
    column.for_each([&](int i) {
      held(z, i, on);
      row.add(on, data.omega.col(i).array(), data.kappa.col(i).array());
    });
    return row;
  }
  /// The contribution of a column that replaces column k of z, computed from the rows in which the
  /// two differ or, if there is a bias and the new column is closer to the complement of column k,
  /// from the rows in which it differs from this complement. The product with column k is
  /// undefined.
  RegressionRow row_replacing(int k, const Bits& column, const Features& z,
                              const RegressionData& data) const {
    const int at = first_ + k;
    Bits changed = z.column(k);
    changed ^= column;
    const bool inverts = first_ > 0 && 2 * changed.count() > z.rows();
    RegressionRow row{Eigen::ArrayXXd(data.width(), size()), lambda(at, at), h(at)};
    for (int l = 0; l < size(); ++l) row.with.col(l) = lambda(at, l);
    if (inverts) {
      changed = complement(changed, z.rows());
      for (int l = 0; l < size(); ++l) row.with.col(l) = lambda(0, l) - row.with.col(l);
      row.self = lambda(0, 0) - row.self;
      row.h = h(0) - row.h;
    }
    std::vector<int> on;
    changed.for_each([&](int i) {
      const double by = column.at(i) ? 1 : -1;
      held(z, i, on);
      row.add(on, by * data.omega.col(i).array(), by * data.kappa.col(i).array());
    });
    return row;
  }
  /// Counterpart of Features::add for a new last column.
  void add_column(const Features& z, const RegressionData& data) {
    append_column(h_, Eigen::ArrayXd::Zero(width()));
    lambda_.append();
    set_column(z.size() - 1, z, data);
  }
  void drop(int k) {
    drop_column(h_, first_ + k);
    lambda_.drop(first_ + k);
  }

 private:
  /// The features of row i.
  void held(const Features& z, int i, std::vector<int>& on) const {
    on.clear();
    if (first_ > 0) on.push_back(0);
    for (int k = 0; k < z.size(); ++k)
      if (z.at(i, k)) on.push_back(first_ + k);
  }

  int first_;
  Eigen::ArrayXXd h_;
  PairArrays lambda_;
};

}  // namespace buffet
