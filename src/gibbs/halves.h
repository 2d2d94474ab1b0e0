#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "core/features.h"
#include "gaussian/gaussian_collapsed.h"
#include "regression/regression_rows.h"
#include "regression/regressions.h"

namespace buffet {

/// Residuals of rows given all features but m, under a conjugate model of the two halves of m:
/// states 0, 1, 2 are the first half only, the second half only, and both.
class GaussianHalves {
 public:
  GaussianHalves(int m, const Features& z, const GaussianCollapsed& likelihood)
      : m_(m), z_(z), likelihood_(likelihood), mu_(likelihood.loadings()) {
    p_.setZero(likelihood.data().width(), 2);
  }

  /// Log densities of row i in the three states, given the rows added so far.
  std::array<double, 3> log_densities(int i) {
    set_residual(i);
    const Eigen::Matrix2d m = (c_ + likelihood_.rho() * Eigen::Matrix2d::Identity()).inverse();
    const Eigen::Vector2d fit = m * (p_.transpose() * e_);
    const Eigen::Matrix2d g = m * q_ * m;
    const double ee = e_.squaredNorm();
    std::array<double, 3> densities;
    for (int s = 0; s < 3; ++s) {
      const Eigen::Vector2d on = state(s);
      const double spread = 1 + on.dot(m * on);
      const double distance = ee - 2 * on.dot(fit) + on.dot(g * on);
      densities[s] = -0.5 * likelihood_.data().columns() * std::log(spread) -
                     0.5 * distance / (likelihood_.noise_variance() * spread);
    }
    return densities;
  }

  /// Adds row i in state s.
  void learn(int s) {
    const Eigen::Vector2d on = state(s), pe = p_.transpose() * e_;
    q_ += on * pe.transpose() + pe * on.transpose() + e_.squaredNorm() * on * on.transpose();
    p_ += e_ * on.transpose();
    c_ += on * on.transpose();
  }

 private:
  void set_residual(int i) {
    e_ = likelihood_.completed().row(i);
    for (int k = 0; k < z_.size(); ++k)
      if (k != m_ && z_.at(i, k)) e_ -= mu_.col(k);
  }

  static Eigen::Vector2d state(int s) { return {s != 1 ? 1.0 : 0.0, s != 0 ? 1.0 : 0.0}; }

  int m_;
  const Features& z_;
  const GaussianCollapsed& likelihood_;
  Eigen::MatrixXd mu_;  ///< D x K
  Eigen::VectorXd e_;
  Eigen::Matrix2d c_ = Eigen::Matrix2d::Zero(), q_ = Eigen::Matrix2d::Zero();
  Eigen::MatrixXd p_;
};

inline GaussianHalves halves_of(int m, const Features& z, const GaussianCollapsed& likelihood) {
  return GaussianHalves(m, z, likelihood);
}

/// The conjugate model of the halves for D regressions, in natural form: the residual kappa of a
/// row is kappa_ij - omega_ij sum_k z_ik mu_kj, and each column has its own 2 x 2 posterior of the
/// halves' weights.
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
    // The inverse of the matrix (a c; c b).
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
  Eigen::ArrayXd a_, b_, c_, p_, q_;  ///< precisions (a c; c b), and (p, q) = precision times mean
  RegressionObservation rest_;        ///< residual of the row given the other features
};

inline RegressionHalves halves_of(int m, const Features& z, const Regressions& likelihood) {
  return RegressionHalves(m, z, likelihood);
}

}  // namespace buffet
