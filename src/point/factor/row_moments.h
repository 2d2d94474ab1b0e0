#pragma once

#include <Eigen/Dense>
#include <functional>
#include <vector>

#include "likelihood/gaussian_masks.h"

namespace buffet {

/// Sums of E[a a'] over the columns that a row observes, K x K, from a factor of the loadings: what
/// the features of the row know of each other.
class RowMoments {
 public:
  /// The factor must outlive it.
  template <class Factor>
  RowMoments(const Factor& factor, const Masks& masks)
      : masks_(masks),
        all_(factor.moments()),
        of_columns_(
            [&factor](const std::vector<int>& columns) { return factor.moments(columns); }) {}

  /// To rows with this pattern of missing entries; are they others than before?
  bool enter(int pattern);
  const Eigen::MatrixXd& observed() const { return observed_; }

 private:
  const Masks& masks_;
  Eigen::MatrixXd all_, observed_;
  std::function<Eigen::MatrixXd(const std::vector<int>&)> of_columns_;
  int pattern_ = -1;
};

}  // namespace buffet
