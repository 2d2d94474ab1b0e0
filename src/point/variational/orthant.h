#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/truncated_normal.h"

namespace buffet {

/// Expectation propagation for the density prop. to exp(-a' Q a / 2 + h' a) on a >= 0: every
/// constraint a_k >= 0 is replaced by a factor exp(-precision a_k^2 / 2 + shift a_k), such that
/// leaving one factor out and putting the constraint in its place changes neither mean nor variance
/// of a_k (Ding et al. 2010, appendix; Minka 2001).
class OrthantNormal {
 public:
  /// The factors of the constraints; all 0 to begin with.
  struct Sites {
    Eigen::VectorXd precision, shift;
  };

  OrthantNormal(const Eigen::MatrixXd& q, const Eigen::VectorXd& h) : q_(q), h_(h) {}

  const Eigen::VectorXd& mean() const { return mean_; }
  const Eigen::MatrixXd& covariance() const { return v_; }
  /// Log of the integral of the density, as approximated.
  double log_integral() const { return log_integral_; }

  /// Passes over the constraints until means change by less than tol standard deviations.
  void solve(Sites& sites, int passes, double tol) {
    for (int n = 0; n < passes; ++n) {
      recompute(sites);
      double change = 0;
      for (int k = 0; k < h_.size(); ++k) change = std::max(change, visit(k, sites));
      if (change < tol) break;
    }
    recompute(sites);
    for (int k = 0; k < h_.size(); ++k) log_integral_ += log_site(k, sites);
  }

 private:
  struct Cavity {
    double mean, variance;
  };

  /// From Q and the sites: mean, covariance and the integral with the sites for the constraints.
  void recompute(const Sites& sites) {
    Eigen::MatrixXd q = q_;
    q.diagonal() += sites.precision;
    const Eigen::LLT<Eigen::MatrixXd> llt(q);
    v_ = llt.solve(Eigen::MatrixXd::Identity(q.rows(), q.cols()));
    const Eigen::VectorXd h = h_ + sites.shift;
    mean_ = v_ * h;
    log_integral_ = 0.5 * (h.dot(mean_) + h.size() * std::log(2 * M_PI)) -
                    llt.matrixLLT().diagonal().array().log().sum();
  }

  Cavity cavity(int k, const Sites& sites) const {
    const double variance = 1 / (1 / v_(k, k) - sites.precision(k));
    return {variance * (mean_(k) / v_(k, k) - sites.shift(k)), variance};
  }

  /// Matches the moments of a_k; by how many standard deviations its mean changes.
  double visit(int k, Sites& sites) {
    const Cavity without = cavity(k, sites);
    if (!(without.variance > 0)) return 0;  // beyond the precision of doubles
    const NonnegativeNormal with(without.mean, std::sqrt(without.variance));
    const double precision = std::max(0.0, 1 / with.variance() - 1 / without.variance);
    const double shift =
        with.mean() * (precision + 1 / without.variance) - without.mean / without.variance;
    const double by = precision - sites.precision(k), shift_by = shift - sites.shift(k);
    const double change = std::abs(with.mean() - mean_(k)) / std::sqrt(with.variance());
    column_ = v_.col(k);
    const double scale = 1 / (1 + by * column_(k));
    mean_ += ((shift_by - by * mean_(k)) * scale) * column_;
    v_.noalias() -= (by * scale * column_) * column_.transpose();
    sites.precision(k) = precision;
    sites.shift(k) = shift;
    return change;
  }

  /// Log of the constant by which a site has the integral of its constraint.
  double log_site(int k, const Sites& sites) const {
    const Cavity c = cavity(k, sites);
    const double precision = sites.precision(k), both = 1 / c.variance + precision;
    const double shift = c.mean / c.variance + sites.shift(k);
    return log_normal_cdf(c.mean / std::sqrt(c.variance)) +
           0.5 * (std::log1p(precision * c.variance) - shift * shift / both +
                  c.mean * c.mean / c.variance);
  }

  const Eigen::MatrixXd& q_;
  const Eigen::VectorXd& h_;
  Eigen::VectorXd mean_, column_;
  Eigen::MatrixXd v_;
  double log_integral_ = 0;
};

}  // namespace buffet
