#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <vector>

#include "core/features.h"
#include "gaussian_data.h"
#include "gaussian_statistics.h"

namespace buffet {

/// The loadings given the observed entries alone, column by column, where entries are missing:
/// those of column d are N(mu_d, sigma_x^2 (C_d + rho I)^-1), mu_d = (C_d + rho I)^-1 p_d, with C_d
/// = Z'Z and p_d = Z'x_d over the rows that have entry d.
class GaussianColumns {
 public:
  using Cholesky = Eigen::LLT<Eigen::MatrixXd>;

  GaussianColumns(const Features& z, const Completed& x, const GaussianStatistics& statistics)
      : data_(x.data()), c_(statistics.c), p_(statistics.p), held_(z.rows()) {
    for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { held_[i].push_back(k); });
    hiding_.resize(data_.complete() ? 0 : data_.columns());
    x.for_all_hidden([&](int i, int d, double value) {
      hiding_[d].push_back(i);
      for (int k : held_[i]) p_(d, k) -= value;
    });
  }

  /// Numbers of columns from 0, the same for those that lack the same rows.
  std::vector<int> patterns() const {
    std::vector<int> numbers(p_.rows(), 0);
    std::map<std::vector<int>, int> known;
    for (std::size_t d = 0; d < hiding_.size(); ++d)
      numbers[d] = known.emplace(hiding_[d], static_cast<int>(known.size())).first->second;
    return numbers;
  }

  /// Calls f(d, Cholesky decomposition of C_d + rho I, p_d) for every column.
  template <class F>
  void for_each(double rho, F f) const {
    Eigen::MatrixXd shared = c_;
    shared.diagonal().array() += rho;
    const Cholesky of_complete(shared);
    for (int d = 0; d < p_.rows(); ++d) {
      if (hiding_.empty() || hiding_[d].empty()) {
        f(d, of_complete, p_.row(d).transpose());
        continue;
      }
      Eigen::MatrixXd own = shared;
      for (int i : hiding_[d])
        for (int k : held_[i])
          for (int l : held_[i]) own(k, l) -= 1;
      f(d, Cholesky(own), p_.row(d).transpose());
    }
  }

  /// log p(observed entries | Z).
  double log_lik(double variance, double rho) const {
    const double size = static_cast<double>(c_.rows());
    double sum =
        -0.5 * data_.observed() * std::log(2 * M_PI * variance) - 0.5 * data_.total() / variance;
    if (size == 0) return sum;
    for_each(rho, [&](int, const Cholesky& llt, const Eigen::VectorXd& p) {
      sum += 0.5 * size * std::log(rho) - llt.matrixLLT().diagonal().array().log().sum() +
             0.5 * llt.matrixL().solve(p).squaredNorm() / variance;
    });
    return sum;
  }

 private:
  const GaussianData& data_;
  Eigen::MatrixXd c_, p_;
  std::vector<std::vector<int>> held_;    ///< features of each row
  std::vector<std::vector<int>> hiding_;  ///< rows that lack each column
};

}  // namespace buffet
