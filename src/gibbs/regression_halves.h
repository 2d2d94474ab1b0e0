#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "core/features.h"
#include "core/sum_of_logs.h"
#include "likelihood/regressions.h"

namespace buffet {

/// The same of D regressions, in natural form: kappa of what is left of a row is R_j = kappa_ij -
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
    omega_ = data_.omega.col(i);
    r_ = data_.kappa.col(i);
    if (bias_ > 0) r_ -= omega_ * mu_.col(0);
    for (int k = 0; k < z_.size(); ++k)
      if (k != m_ && z_.at(i, k)) r_ -= omega_ * mu_.col(bias_ + k);
    // The inverse of (a c; c b).
    const Eigen::ArrayXd det = a_ * b_ - c_.square();
    const Eigen::ArrayXd aa = b_ / det, bb = a_ / det, ab = -c_ / det;
    const Eigen::ArrayXd ma = aa * p_ + ab * q_, mb = ab * p_ + bb * q_;
    return {log_density(aa, ma), log_density(bb, mb), log_density(aa + bb + 2 * ab, ma + mb)};
  }

  void learn(int s) {
    if (s != 1) {
      a_ += omega_;
      p_ += r_;
    }
    if (s != 0) {
      b_ += omega_;
      q_ += r_;
    }
    if (s == 2) c_ += omega_;
  }

 private:
  /// Of the row, given that what its halves add to it is N(mean, variance).
  double log_density(const Eigen::ArrayXd& variance, const Eigen::ArrayXd& mean) const {
    const Eigen::ArrayXd spread = 1 + variance * omega_;
    const double fit =
        ((r_.square() * variance + 2 * r_ * mean - omega_ * mean.square()) / spread).sum();
    return 0.5 * (fit - sum_of_logs(spread));
  }

  int m_;
  const Features& z_;
  const RegressionData& data_;
  int bias_;  ///< index of the first weight
  Eigen::ArrayXXd mu_;
  Eigen::ArrayXd a_, b_, c_, p_, q_;  ///< precisions (a c; c b) and their times mean (p, q)
  Eigen::ArrayXd omega_, r_;
};

inline RegressionHalves halves_of(int m, const Features& z, const Regressions& likelihood) {
  return RegressionHalves(m, z, likelihood);
}

}  // namespace buffet
