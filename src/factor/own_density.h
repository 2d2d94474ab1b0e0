#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "spread_sums.h"

namespace buffet {

/// Log density, but for a constant, of what is left of a row for the features that it alone has, as
/// a function of t, the sum of the squares of their weights. With their loadings integrated out it
/// is N(0, (1 + ratio_d t) / precision_d) in column d, for t products of weights and loadings add
/// up to a normal with t times the variance of one loading.
class OwnWeightsDensity {
 public:
  /// All columns alike: how many are observed, the sum of their squares in units of the noise, and
  /// the ratio of the variances of loadings and noise.
  void set(int observed, double squares, double ratio) {
    observed_ = observed;
    sum_ = squares;
    ratio_ = ratio;
    columns_ = false;
  }
  /// Each column.
  void set(const Eigen::ArrayXd& squares, const Eigen::ArrayXd& ratios) {
    columns_ = true;
    squares_.setZero(SpreadSums::padded(squares.size()));
    ratios_.setZero(squares_.size());
    squares_.head(squares.size()) = squares;
    ratios_.head(ratios.size()) = ratios;
  }

  double operator()(double t) const {
    if (!columns_) {
      const double spread = 1 + ratio_ * t;
      return -0.5 * (observed_ * std::log(spread) + sum_ / spread);
    }
    constexpr int block = SpreadSums::block;
    using Block = SpreadSums::Block;
    const SpreadSums sums(
        ratios_.size(), [&](Eigen::Index d) -> Block { return squares_.segment<block>(d); },
        [&](Eigen::Index d) -> Block { return 1 + t * ratios_.segment<block>(d); });
    return -0.5 * (sums.log + sums.fit);
  }

 private:
  bool columns_ = false;
  int observed_ = 0;
  double sum_ = 0, ratio_ = 1;
  Eigen::ArrayXd squares_, ratios_;
};

}  // namespace buffet
