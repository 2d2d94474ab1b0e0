#pragma once

#include <Eigen/Dense>

#include "core/hyper.h"
#include "factor_noise.h"
#include "loading_scales.h"

namespace buffet {

/// One draw's parameters for rows that are not in the data: the loadings of features, D x K, and
/// the standard deviations of each column's noise and of the loadings.
struct KnownFactors {
  Eigen::MatrixXd loadings;
  Eigen::ArrayXd sigma_x;
  double sigma_a;
  bool scales_by_feature;

  FactorNoise noise(int rows) const {
    FactorNoise noise(rows, static_cast<int>(sigma_x.size()), NoiseOf::column, Hyper::fixed(1));
    noise.set(sigma_x.square().inverse());
    return noise;
  }
  LoadingScales scales() const {
    return {Hyper::fixed(1 / (sigma_a * sigma_a)), scales_by_feature};
  }
};

}  // namespace buffet
