#pragma once

#include <Eigen/Dense>
#include <vector>

#include "likelihood/gaussian_masks.h"

namespace buffet {

/// Sums of E[a a'] over the columns that a row observes, K x K, from a factor of the loadings: what
/// the features of the row know of each other.
template <class Factor>
class RowMoments {
 public:
  RowMoments(const Factor& factor, const Masks& masks)
      : factor_(factor), masks_(masks), all_(factor.moments()) {}

  /// To rows with this pattern of missing entries; are they others than before?
  bool enter(int pattern) {
    if (pattern == pattern_) return false;
    pattern_ = pattern;
    const std::vector<int>& hidden = masks_.hidden(pattern);
    observed_ = all_;
    if (!hidden.empty()) observed_ -= factor_.moments(hidden);
    return true;
  }
  const Eigen::MatrixXd& observed() const { return observed_; }

 private:
  const Factor& factor_;
  const Masks& masks_;
  Eigen::MatrixXd all_, observed_;
  int pattern_ = -1;
};

}  // namespace buffet
