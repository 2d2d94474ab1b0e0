#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/rng.h"
#include "core/sum_of_logs.h"
#include "core/truncated_normal.h"
#include "gaussian_statistics.h"

namespace buffet {

/// What rows say of the loadings of a feature that all of them have, column by column: how many are
/// observed, and the sum of what all other features leave of these.
struct LoadingSums {
  Eigen::ArrayXd observed, rest;

  static LoadingSums none(Eigen::Index width) {
    return {Eigen::ArrayXd::Zero(width), Eigen::ArrayXd::Zero(width)};
  }
  friend LoadingSums operator+(const LoadingSums& a, const LoadingSums& b) {
    return {a.observed + b.observed, a.rest + b.rest};
  }
};

/// Loadings N(0, sigma_a^2) truncated to [0, inf) of one feature, those of all others given.
struct NonnegativeLoadings {
  double variance;     ///< of the noise
  double precision_a;  ///< 1 / sigma_a^2

  /// Log of the integral over the loadings of the likelihood, minus that without the feature.
  double log_evidence(const LoadingSums& s) const {
    const double rho = variance * precision_a;
    const Eigen::ArrayXd spread = s.observed + rho;
    const Eigen::ArrayXd t = s.rest / (variance * spread).sqrt();
    double sum = double(t.size()) * (M_LN2 + 0.5 * std::log(rho)) - 0.5 * sum_of_logs(spread) +
                 0.5 * t.square().sum();
    for (int d = 0; d < t.size(); ++d) sum += quick_log_normal_cdf(t(d));
    return sum;
  }

  Eigen::VectorXd draw(const LoadingSums& s, Rng& rng) const {
    Eigen::VectorXd loading(s.rest.size());
    for (int d = 0; d < loading.size(); ++d) {
      const double spread = s.observed(d) + variance * precision_a;
      loading(d) = draw_nonnegative_normal(s.rest(d) / spread, std::sqrt(variance / spread), rng);
    }
    return loading;
  }
};

/// One pass over loadings (D x K), those of each feature given those of the others and Z.
inline Eigen::MatrixXd draw_nonnegative_loadings(const NonnegativeLoadings& law,
                                                 const GaussianStatistics& s, Eigen::MatrixXd a,
                                                 Rng& rng) {
  std::vector<int> order;
  rng.permutation(static_cast<int>(a.cols()), order);
  for (int k : order) {
    const double weight = 1 / (s.c(k, k) + law.variance * law.precision_a);
    const double sd = std::sqrt(weight * law.variance);
    const Eigen::VectorXd left = s.p.col(k) - a * s.c.col(k) + s.c(k, k) * a.col(k);
    for (int d = 0; d < left.size(); ++d)
      a(d, k) = draw_nonnegative_normal(weight * left(d), sd, rng);
  }
  return a;
}

}  // namespace buffet
