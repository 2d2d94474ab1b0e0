#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "core/features.h"
#include "likelihood/regression_observation.h"
#include "likelihood/regressions.h"

namespace buffet {

/// The same of D regressions, in natural form: kappa of what is left of a row is kappa_ij -
/// omega_ij sum_k z_ik mu_kj, and each column has its own 2 x 2 posterior of the halves' weights.
class RegressionHalves {
 public:
  RegressionHalves(int m, const Features& z, const Regressions& likelihood)
      : m_(m),
        z_(z),
        data_(likelihood.completed()),
        bias_(likelihood.prior().has_bias ? 1 : 0),
        mu_(likelihood.factor().mean()) {
    const int width = data_.width();
    a_.setConstant(width, likelihood.prior().weight);
    b_ = a_;
    c_.setZero(width);
    p_.setZero(width);
    q_.setZero(width);
  }

  std::array<double, 3> log_densities(int i) {
    rest_ = {data_.omega.col(i).array(), data_.kappa.col(i).array()};
    if (bias_ > 0) rest_.kappa -= rest_.omega * mu_.col(0);
    for (int k = 0; k < z_.size(); ++k)
      if (k != m_ && z_.at(i, k)) rest_.kappa -= rest_.omega * mu_.col(bias_ + k);
    // The inverse of (a c; c b).
    const Eigen::ArrayXd det = a_ * b_ - c_.square();
    const Eigen::ArrayXd aa = b_ / det, bb = a_ / det, ab = -c_ / det;
    const Eigen::ArrayXd ma = aa * p_ + ab * q_, mb = ab * p_ + bb * q_;
    return {rest_.log_density(ma, aa), rest_.log_density(mb, bb),
            rest_.log_density(ma + mb, aa + bb + 2 * ab)};
  }

  void learn(int s) {
    if (s != 1) {
      a_ += rest_.omega;
      p_ += rest_.kappa;
    }
    if (s != 0) {
      b_ += rest_.omega;
      q_ += rest_.kappa;
    }
    if (s == 2) c_ += rest_.omega;
  }

 private:
  int m_;
  const Features& z_;
  const RegressionData& data_;
  int bias_;  ///< index of the first weight
  Eigen::ArrayXXd mu_;
  Eigen::ArrayXd a_, b_, c_, p_, q_;  ///< precisions (a c; c b) and their times mean (p, q)
  RegressionObservation rest_;        ///< what the other features leave of the row
};

inline RegressionHalves halves_of(int m, const Features& z, const Regressions& likelihood) {
  return RegressionHalves(m, z, likelihood);
}

}  // namespace buffet
