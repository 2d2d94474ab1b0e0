#pragma once

#include <Eigen/Dense>
#include <vector>

#include "likelihood/gaussian_data.h"
#include "likelihood/gaussian_masks.h"
#include "likelihood/gaussian_moments.h"

namespace buffet {

/// Data in groups of columns that lack the same rows; complete data are one group.
class GroupedData {
 public:
  explicit GroupedData(const GaussianData& data);
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
  std::vector<int> by_size() const;

  /// p' x_i over the columns of a group.
  Eigen::VectorXd times(const Eigen::MatrixXd& p, int i, int g) const;
  double square(int i, int g) const { return size() == 1 ? data_.square(i) : dot(row(i), i, g); }
  /// x' x_i over the columns of a group, x a row.
  double dot(const Eigen::VectorXd& x, int i, int g) const { return times(x, i, g)(0); }
  Eigen::VectorXd row(int i) const;

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
void learn_row(LoadingsMoments& moments, const GroupPosition& at, const Eigen::VectorXd& c);

}  // namespace buffet
