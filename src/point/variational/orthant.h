#pragma once

#include <Eigen/Dense>

namespace buffet {

/// Expectation propagation for the density prop. to exp(-a' Q a / 2 + h' a) on a >= 0: every
/// constraint a_k >= 0 is replaced by a factor exp(-precision a_k^2 / 2 + shift a_k), such that
/// leaving one factor out and putting the constraint in its place changes neither mean nor variance
/// of a_k (Ding et al. 2010, appendix; Minka 2001).
class OrthantNormal {
 public:
  /// The factors of the constraints, initially 0.
  struct Sites {
    Eigen::VectorXd precision, shift;
  };

  OrthantNormal(const Eigen::MatrixXd& q, const Eigen::VectorXd& h) : q_(q), h_(h) {}

  const Eigen::VectorXd& mean() const { return mean_; }
  const Eigen::MatrixXd& covariance() const { return v_; }
  /// Log of the integral of the density, as approximated.
  double log_integral() const { return log_integral_; }

  /// Passes over the constraints until means change by less than tol standard deviations.
  void solve(Sites& sites, int passes, double tol);

 private:
  struct Cavity {
    double mean, variance;
  };

  /// From Q and the sites: mean, covariance and the integral with the sites for the constraints.
  void recompute(const Sites& sites);

  Cavity cavity(int k, const Sites& sites) const;

  /// Matches the moments of a_k; by how many standard deviations its mean changes.
  double visit(int k, Sites& sites);

  /// Log of the constant by which a site has the integral of its constraint.
  double log_site(int k, const Sites& sites) const;

  const Eigen::MatrixXd& q_;
  const Eigen::VectorXd& h_;
  Eigen::VectorXd mean_, column_;
  Eigen::MatrixXd v_;
  double log_integral_ = 0;
};

}  // namespace buffet
