#pragma once

#include <Eigen/Dense>

#include "core/sum_of_logs.h"

namespace buffet {

/// One observation of D normal regressions, as RegressionData has it.
struct RegressionObservation {
  Eigen::ArrayXd omega, kappa;

  /// Log density, but for what does not depend on these, where what is observed is known to be
  /// N(mean, variance).
  double log_density(const Eigen::ArrayXd& mean, const Eigen::ArrayXd& variance) const {
    const Eigen::ArrayXd spread = 1 + variance * omega;
    const double fit =
        ((kappa.square() * variance + 2 * kappa * mean - omega * mean.square()) / spread).sum();
    return 0.5 * (fit - sum_of_logs(spread));
  }
};

}  // namespace buffet
