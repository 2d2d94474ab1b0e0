#pragma once

#include <Eigen/Dense>
#include <vector>

#include "gaussian/gaussian_data.h"
#include "gaussian/gaussian_masks.h"

namespace buffet {

/// Data in groups of columns with the same missing rows; complete data have one group.
class GroupedData {
 public:
  explicit GroupedData(const GaussianData& data);
  GroupedData(const GroupedData&) = delete;

  const GaussianData& data() const { return data_; }
  int rows() const { return data_.rows(); }
  int size() const { return static_cast<int>(masks_.groups().size()); }
  /// Number of columns in each group that row i observes: all or none.
  Eigen::ArrayXd counts(int i) const;
  const std::vector<int>& columns(int g) const { return masks_.groups()[g].columns; }
  const Bits& hidden(int g) const { return masks_.groups()[g].hidden; }
  /// Number of columns of the original data in a group.
  double count(int g) const { return size() == 1 ? data_.columns() : double(columns(g).size()); }

  /// Rows ordered by increasing mean square; rows without an observed entry come last.
  std::vector<int> by_size() const;

  /// p' x_i over the columns in each group: groups x K.
  Eigen::MatrixXd times(const Eigen::MatrixXd& p, int i) const;
  /// x_i' x_i over the columns in each group.
  Eigen::ArrayXd squares(int i) const;
  Eigen::VectorXd row(int i) const;

 private:
  const GaussianData& data_;
  Masks masks_;
};

/// log p(X | Z) of the observed entries as a function of the noise variance and its ratio to the
/// variance of the loadings, in O(K) per group of columns with the same missing rows; and the
/// posterior of the loadings.
class GaussianSpectra {
 public:
  GaussianSpectra(const GroupedData& data, const Features& z);

  double log_lik(double variance, double rho) const;

  /// (Z'Z + rho I)^-1 of each group, and the mean of the loadings, D x K.
  std::vector<Eigen::MatrixXd> inverses(double rho) const;
  Eigen::MatrixXd mean(const GroupedData& data, double rho) const;

 private:
  struct Group {
    double rows, columns, total;
    Eigen::MatrixXd shared;  ///< Z'Z over the rows that observe the group
    Eigen::VectorXd values, squares;
  };

  void add(const GroupedData& data, int g, const Features& z);

  Eigen::MatrixXd p_;  ///< X'Z
  std::vector<Group> groups_;
};

}  // namespace buffet
