#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "core/features.h"
#include "likelihood/gaussian_collapsed.h"

namespace buffet {

/// What is left of rows by all features but m, under a conjugate model of the two halves of m:
/// states 0, 1, 2 are the first half, the second, both.
class GaussianHalves {
 public:
  GaussianHalves(int m, const Features& z, const GaussianCollapsed& likelihood)
      : m_(m), z_(z), likelihood_(likelihood), mu_(likelihood.loadings()) {
    p_.setZero(likelihood.data().width(), 2);
  }

  /// Log densities of row i in the three states, given the rows learned so far.
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

  /// Learns that row in a state.
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

}  // namespace buffet
