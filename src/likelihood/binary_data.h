#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

namespace buffet {

/// Zeros and ones with missing entries, one observation a column, as signs: 1 for a one, -1 for a
/// zero, 0 for what is missing.
class BinaryData {
 public:
  using Signs = Eigen::Matrix<signed char, Eigen::Dynamic, Eigen::Dynamic>;

  explicit BinaryData(Signs signs)
      : signs_(std::move(signs)), by_column_(signs_.transpose()), hidden_(signs_.cols()) {
    for (int i = 0; i < rows(); ++i)
      for (int j = 0; j < columns(); ++j)
        if (sign(i, j) == 0) hidden_[i].push_back(j);
    observed_ = double(signs_.size());
    for (const auto& of_row : hidden_) observed_ -= double(of_row.size());
  }

  int rows() const { return static_cast<int>(signs_.cols()); }
  int columns() const { return static_cast<int>(signs_.rows()); }
  double observed() const { return observed_; }

  int sign(int i, int j) const { return signs_(j, i); }
  /// The signs of observation i, and those of all observations in column j.
  auto signs(int i) const { return signs_.col(i); }
  auto column(int j) const { return by_column_.col(j); }
  /// What observation i lacks.
  const std::vector<int>& hidden(int i) const { return hidden_[i]; }

  /// What y_ij multiplies in the log likelihood: 1 for a one, else 0.
  Eigen::ArrayXd ones(int i) const {
    Eigen::ArrayXd ones = 0.5 + 0.5 * signs_.col(i).cast<double>().array();
    for (int j : hidden_[i]) ones(j) = 0;
    return ones;
  }

  /// y - 1/2 of observation i, 0 where it is missing.
  Eigen::VectorXd kappa(int i) const { return 0.5 * signs_.col(i).cast<double>(); }

  /// Log odds of a one in every column, of its entries and a half more of each kind.
  Eigen::VectorXd log_odds() const {
    Eigen::VectorXd odds(columns());
    for (int j = 0; j < columns(); ++j) {
      const double on = (column(j).array() > 0).count(), off = (column(j).array() < 0).count();
      odds(j) = std::log((on + 0.5) / (off + 0.5));
    }
    return odds;
  }

 private:
  Signs signs_, by_column_;
  std::vector<std::vector<int>> hidden_;
  double observed_ = 0;
};

}  // namespace buffet
