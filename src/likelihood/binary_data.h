#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/bits.h"

namespace buffet {

/// Zeros and ones with missing entries, one observation per column, as signs: 1 for a one, -1 for a
/// zero, 0 for a missing entry.
class BinaryData {
 public:
  using Signs = Eigen::Matrix<signed char, Eigen::Dynamic, Eigen::Dynamic>;

  explicit BinaryData(Signs signs)
      : signs_(std::move(signs)),
        hidden_(signs_.cols()),
        hidden_in_(signs_.rows()),
        ones_in_(signs_.rows(), Bits(static_cast<int>(signs_.cols()))) {
    observed_ = double(signs_.size());
    for (int i = 0; i < rows(); ++i)
      for (int j = 0; j < columns(); ++j) {
        if (sign(i, j) > 0) ones_in_[j].set(i);
        if (sign(i, j) != 0) continue;
        hidden_[i].push_back(j);
        hidden_in_[j].push_back(i);
        --observed_;
      }
  }

  int rows() const { return static_cast<int>(signs_.cols()); }
  int columns() const { return static_cast<int>(signs_.rows()); }
  double observed() const { return observed_; }

  int sign(int i, int j) const { return signs_(j, i); }
  /// Signs of observation i.
  auto signs(int i) const { return signs_.col(i); }
  /// The missing columns of observation i, and the observations in which column j is missing.
  const std::vector<int>& hidden(int i) const { return hidden_[i]; }
  const std::vector<int>& hidden_in(int j) const { return hidden_in_[j]; }
  /// The observations that have a one in column j.
  const Bits& ones_in(int j) const { return ones_in_[j]; }

  /// The value of an entry, y_ij: 1 for a one, else 0.
  Eigen::ArrayXd ones(int i) const {
    Eigen::ArrayXd ones = 0.5 + 0.5 * signs_.col(i).cast<double>().array();
    for (int j : hidden_[i]) ones(j) = 0;
    return ones;
  }

  /// y - 1/2 for observation i, 0 if missing.
  Eigen::VectorXd kappa(int i) const { return 0.5 * signs_.col(i).cast<double>(); }

  /// Log odds of a one in every column, estimated after adding half a one and half a zero.
  Eigen::VectorXd log_odds() const {
    Eigen::VectorXd odds(columns());
    for (int j = 0; j < columns(); ++j) {
      const double on = ones_in(j).count(), off = rows() - on - double(hidden_in(j).size());
      odds(j) = std::log((on + 0.5) / (off + 0.5));
    }
    return odds;
  }

 private:
  Signs signs_;
  std::vector<std::vector<int>> hidden_, hidden_in_;
  std::vector<Bits> ones_in_;
  double observed_ = 0;
};

}  // namespace buffet
