#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>

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
    ratios_.resize(0);
  }
  /// Each column that is observed.
  void set(Eigen::ArrayXd squares, Eigen::ArrayXd ratios) {
    squares_ = std::move(squares);
    ratios_ = std::move(ratios);
  }

  double operator()(double t) const {
    if (ratios_.size() == 0) {
      const double spread = 1 + ratio_ * t;
      return -0.5 * (observed_ * std::log(spread) + sum_ / spread);
    }
    double product = 1, log = 0, fit = 0;
    for (Eigen::Index d = 0; d < ratios_.size(); ++d) {
      const double spread = 1 + ratios_(d) * t;
      product *= spread;
      fit += squares_(d) / spread;
      if (product < 1e200) continue;
      log += std::log(product);
      product = 1;
    }
    return -0.5 * (log + std::log(product) + fit);
  }

 private:
  int observed_ = 0;
  double sum_ = 0, ratio_ = 1;
  Eigen::ArrayXd squares_, ratios_;
};

}  // namespace buffet
