#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/fitted.h"
#include "families.h"

namespace buffet {

/// True for plausible weights of standardised numbers or logarithms. Draws given larger weights
/// would not terminate.
inline bool are_weights(const Eigen::MatrixXd& w) {
  return (w.array().abs() < 1e6).all();
}

/// Columns from any families, one observation per column of `x`, NaN if an entry is missing. The
/// linear predictors of an observation are contiguous, grouped by column of the data.
class MixedData {
 public:
  explicit MixedData(Eigen::MatrixXd x, const Families& families)
      : x_(std::move(x)), seen_(x_.rows()) {
    int at = 0;
    for (const AnyFamily& family : families) {
      first_.push_back(at);
      at += family->width();
    }
    first_.push_back(at);
    for (int j = 0; j < columns(); ++j)
      for (int i = 0; i < rows(); ++i)
        if (!std::isnan(x_(j, i))) seen_[j].push_back(i);
  }

  int rows() const { return static_cast<int>(x_.cols()); }
  int columns() const { return static_cast<int>(x_.rows()); }
  /// Number of linear predictors of an observation.
  int predictors() const { return first_.back(); }
  int first(int j) const { return first_[j]; }
  int width(int j) const { return first_[j + 1] - first_[j]; }

  double at(int i, int j) const { return x_(j, i); }
  auto row(int i) const { return x_.col(i); }
  /// The observations in which column j is observed.
  const std::vector<int>& seen(int j) const { return seen_[j]; }

  /// The observed entries of column j, given all linear predictors.
  ColumnSeen column(int j, const Eigen::MatrixXd& eta) const {
    ColumnSeen column{Eigen::VectorXd(seen_[j].size()), Eigen::MatrixXd(width(j), seen_[j].size())};
    for (std::size_t n = 0; n < seen_[j].size(); ++n) {
      column.x(n) = x_(j, seen_[j][n]);
      column.eta.col(n) = eta.block(first(j), seen_[j][n], width(j), 1);
    }
    return column;
  }

 private:
  Eigen::MatrixXd x_;
  std::vector<int> first_;
  std::vector<std::vector<int>> seen_;
};

}  // namespace buffet
