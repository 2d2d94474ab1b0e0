#pragma once

#include <Eigen/Dense>

namespace buffet {

/// Expectation propagation for the density proportional to exp(-a' Q a / 2 + h' a) on a >= 0: every
/// constraint a_k >= 0 is replaced by a factor exp(-precision a_k^2 / 2 + shift a_k), chosen such
/// that replacing one factor by its constraint changes neither the mean nor the variance of a_k
/// (Ding et al. 2010, appendix; Minka 2001).
class OrthantNormal {
 public:
  /// The factors that replace the constraints, initially constant.
  struct Sites {
    Eigen::VectorXd precision, shift;
  };

  OrthantNormal(const Eigen::MatrixXd& q, const Eigen::VectorXd& h) : q_(q), h_(h) {}

  const Eigen::VectorXd& mean() const { return mean_; }
  const Eigen::MatrixXd& covariance() const { return v_; }
  /// Approximate log of the integral of the density.
  double log_integral() const { return log_integral_; }

  /// Makes passes over the constraints until the means change by less than tol standard deviations.
  void solve(Sites& sites, int passes, double tol);

 private:
  struct Cavity {
    double mean, variance;
  };

  /// Computes the mean, the covariance and the integral from Q and the sites.
  void recompute(const Sites& sites);

  Cavity cavity(int k, const Sites& sites) const;

  /// Matches the moments of a_k; returns the change in its mean, in standard deviations.
  double visit(int k, Sites& sites);

  /// Log of the constant that makes the integral with a site equal to the integral with its
  /// constraint.
  double log_site(int k, const Sites& sites) const;

  const Eigen::MatrixXd& q_;
  const Eigen::VectorXd& h_;
  Eigen::VectorXd mean_, column_;
  Eigen::MatrixXd v_;
  double log_integral_ = 0;
};

}  // namespace buffet
