#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "likelihood/gaussian_data.h"
#include "likelihood/gaussian_masks.h"
#include "likelihood/gaussian_moments.h"

namespace buffet {

/// Data in groups of columns that lack the same rows; complete data are one group.
class GroupedData {
 public:
  explicit GroupedData(const GaussianData& data)
      : data_(data), masks_(data.rows(), data.width()), in_(data.rows()) {
    masks_.add(data);
    masks_.finish();
    for (int i = 0; i < rows(); ++i)
      for (int g = 0; g < size(); ++g)
        if (!masks_.groups()[g].hidden.at(i)) in_[i].push_back(g);
  }
  GroupedData(const GroupedData&) = delete;

  const GaussianData& data() const { return data_; }
  int rows() const { return data_.rows(); }
  int size() const { return static_cast<int>(masks_.groups().size()); }
  /// The groups that row i has.
  const std::vector<int>& of_row(int i) const { return in_[i]; }
  const std::vector<int>& columns(int g) const { return masks_.groups()[g].columns; }
  const Bits& hidden(int g) const { return masks_.groups()[g].hidden; }
  /// How many columns a group has, of the data as they were given.
  double count(int g) const { return size() == 1 ? data_.columns() : double(columns(g).size()); }

  /// Rows in the order of their mean squares; those without an observed entry are the last.
  std::vector<int> by_size() const {
    std::vector<int> order(rows());
    std::iota(order.begin(), order.end(), 0);
    const auto size = [&](int i) {
      return data_.observed(i) > 0 ? data_.square(i) / data_.observed(i)
                                   : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return size(i) < size(j); });
    return order;
  }

  /// p' x_i over the columns of a group.
  Eigen::VectorXd times(const Eigen::MatrixXd& p, int i, int g) const {
    if (size() == 1) return data_.times(p, i);
    const Eigen::VectorXd x = row(i);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(p.cols());
    for (Eigen::Index k = 0; k < p.cols(); ++k)
      for (int d : columns(g)) sum(k) += x(d) * p(d, k);
    return sum;
  }
  double square(int i, int g) const { return size() == 1 ? data_.square(i) : dot(row(i), i, g); }
  /// x' x_i over the columns of a group, x a row.
  double dot(const Eigen::VectorXd& x, int i, int g) const { return times(x, i, g)(0); }
  Eigen::VectorXd row(int i) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(data_.width());
    data_.add(i, 1, x);
    return x;
  }

 private:
  const GaussianData& data_;
  Masks masks_;
  std::vector<std::vector<int>> in_;
};

/// Where a row stands given z in the columns of a group: x ~ N(z mu, variance (1 + t)) at squared
/// distance r, with u = M z and g = G z.
struct GroupPosition {
  double t = 0, r = 0;
  Eigen::VectorXd u, g;
};

/// The posterior of the loadings of a group given some rows and one more: with w = u / (1 + t) and
/// q = c - g, M becomes M - w u' and G becomes G + w q' + q w' + r w w'. c = mu' x.
inline void learn_row(LoadingsMoments& moments, const GroupPosition& at, const Eigen::VectorXd& c) {
  const Eigen::VectorXd w = at.u / (1 + at.t), q = c - at.g;
  moments.m.noalias() -= w * at.u.transpose();
  moments.g.noalias() += w * q.transpose();
  moments.g.noalias() += (q + at.r * w) * w.transpose();
}

}  // namespace buffet
