#pragma once

#include <Eigen/Dense>
#include <vector>

#include "gaussian_groups.h"

namespace buffet {

/// log p(X | Z) of the observed entries as a function of the variance of the noise and its ratio to
/// that of the loadings, in O(K) a group of columns that lack the same rows; and the posterior of
/// the loadings.
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
    Eigen::MatrixXd shared;  ///< Z'Z of the rows that have it
    Eigen::VectorXd values, squares;
  };

  void add(const GroupedData& data, int g, const Features& z);

  Eigen::MatrixXd p_;  ///< X'Z
  std::vector<Group> groups_;
};

}  // namespace buffet
