#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/features.h"
#include "gaussian/gaussian_masks.h"
#include "gaussian/gaussian_rows.h"

namespace buffet {

/// The data of an ascent, which are shared by all its states.
struct AscentData : GaussianRows {
  Masks masks;

  AscentData(Source source_, int columns_, Team& team_ = Solo::instance())
      : AscentData(Masks(source_.rows(), columns_), source_, columns_, team_) {}

 private:
  AscentData(Masks own, Source& source_, int columns_, Team& team_);
};

/// The initial state of an ascent.
struct AscentStart {
  Features features;  ///< if empty, the ascent finds its own starts
  std::uint64_t seed;
  double tau_x, tau_a;  ///< initial values of learned precisions, or NaN
};

/// Sums of E[a a'] over the columns that a row observes, K x K, computed from a factor of the
/// loadings: the interactions between the features of the row.
class RowMoments {
 public:
  /// The factor must outlive this object.
  template <class Factor>
  RowMoments(const Factor& factor, const Masks& masks)
      : masks_(masks),
        all_(factor.moments()),
        of_columns_(
            [&factor](const std::vector<int>& columns) { return factor.moments(columns); }) {}

  /// Selects rows with this pattern of missing entries. Returns true if it differs from the
  /// previous pattern.
  bool enter(int pattern);
  const Eigen::MatrixXd& observed() const { return observed_; }

 private:
  const Masks& masks_;
  Eigen::MatrixXd all_, observed_;
  std::function<Eigen::MatrixXd(const std::vector<int>&)> of_columns_;
  int pattern_ = -1;
};

}  // namespace buffet
