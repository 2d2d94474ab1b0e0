#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/normal_vector.h"
#include "core/rng.h"
#include "own_weights.h"

namespace buffet {

/// A row's data for its singletons: residuals, the precisions of their noise (0: missing), and the
/// variance of loadings whose local precision is 1.
struct OwnLoadings {
  Eigen::ArrayXd rest, precision;
  double variance;

  /// Draws loadings, D x J, given the J weights: a draw from the prior, shifted towards the
  /// residuals.
  Eigen::MatrixXd draw(const std::vector<OwnWeight>& weights, Rng& rng) const {
    const auto size = static_cast<Eigen::Index>(weights.size());
    Eigen::VectorXd v(size), scales(size);
    for (Eigen::Index n = 0; n < size; ++n) {
      scales(n) = 1 / std::sqrt(weights[n].local);
      v(n) = weights[n].v * scales(n);
    }
    Eigen::MatrixXd drawn = normal_matrix(rest.size(), size, std::sqrt(variance), rng);
    if (size == 0) return drawn;
    const Eigen::ArrayXd noise = precision.sqrt() * normal_vector(rest.size(), 1, rng).array();
    const Eigen::ArrayXd misfit = precision * (rest - (drawn * v).array()) - noise;
    const Eigen::VectorXd change = variance * misfit / (1 + variance * v.squaredNorm() * precision);
    return (drawn + change * v.transpose()) * scales.asDiagonal();
  }
};

}  // namespace buffet
