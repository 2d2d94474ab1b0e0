#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "gaussian_groups.h"

namespace buffet {

/// log p(X | Z) of the observed entries as a function of the variance of the noise and its ratio to
/// that of the loadings, in O(K) a group of columns that lack the same rows; and the posterior of
/// the loadings.
class GaussianSpectra {
 public:
  GaussianSpectra(const GroupedData& data, const Features& z) : p_(data.data().width(), z.size()) {
    const Completed x(data.data());
    for (int k = 0; k < z.size(); ++k) p_.col(k) = x.sum(z.column(k));
    for (int g = 0; g < data.size(); ++g) add(data, g, z);
    for (int i = 0; i < data.rows(); ++i)
      for (int g : data.of_row(i)) groups_[g].total += data.square(i, g);
  }

  double log_lik(double variance, double rho) const {
    double sum = 0;
    for (const Group& g : groups_) {
      const auto shifted = g.values.array() + rho;
      sum += -0.5 * g.rows * g.columns * std::log(2 * M_PI * variance) - 0.5 * g.total / variance;
      if (g.values.size() == 0) continue;
      sum += 0.5 * g.columns * (std::log(rho) - shifted.log()).sum() +
             0.5 * (g.squares.array() / shifted).sum() / variance;
    }
    return sum;
  }

  /// (Z'Z + rho I)^-1 of each group, and the mean of the loadings, D x K.
  std::vector<Eigen::MatrixXd> inverses(double rho) const {
    std::vector<Eigen::MatrixXd> all;
    for (const Group& g : groups_) all.push_back(ridge_inverse(g.shared, rho));
    return all;
  }
  Eigen::MatrixXd mean(const GroupedData& data, double rho) const {
    Eigen::MatrixXd mean(p_.rows(), p_.cols());
    const auto inverses = this->inverses(rho);
    for (int g = 0; g < data.size(); ++g)
      for (int d : data.columns(g)) mean.row(d) = p_.row(d) * inverses[g];
    return mean;
  }

 private:
  struct Group {
    double rows, columns, total;
    Eigen::MatrixXd shared;  ///< Z'Z of the rows that have it
    Eigen::VectorXd values, squares;
  };

  void add(const GroupedData& data, int g, const Features& z) {
    const Bits seen = complement(data.hidden(g), data.rows());
    Features part(z.rows());
    for (int k = 0; k < z.size(); ++k) {
      Bits column = z.column(k);
      column &= seen;
      part.add(std::move(column));
    }
    Group group{double(seen.count()), data.count(g), 0, shared_counts(part), {}, {}};
    if (z.size() > 0) {
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(group.shared);
      group.values = eigen.eigenvalues().cwiseMax(0.0);
      group.squares = Eigen::VectorXd::Zero(z.size());
      for (int d : data.columns(g))
        group.squares += (p_.row(d) * eigen.eigenvectors()).cwiseAbs2().transpose();
    }
    groups_.push_back(std::move(group));
  }

  Eigen::MatrixXd p_;  ///< X'Z
  std::vector<Group> groups_;
};

}  // namespace buffet
