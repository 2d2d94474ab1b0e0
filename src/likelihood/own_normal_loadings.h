#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "core/normal_vector.h"
#include "core/rng.h"

namespace buffet {

/// The law of normal loadings, N(0, variance / rho_d) in column d.
struct NormalLoadings {
  double variance;  ///< of the noise
  Eigen::ArrayXd rho;

  /// Draws those of so many features, one at least, that only one row has, given what is left of it
  /// for them: their sum is normal entry by entry; given their sum they are normal around its equal
  /// parts. for_hidden calls what it is given for the columns that are missing, which say nothing.
  template <class ForHidden>
  Eigen::MatrixXd draw_own(int own, const Eigen::VectorXd& rest, ForHidden for_hidden,
                           Rng& rng) const {
    const double sd = std::sqrt(variance);
    Eigen::MatrixXd drawn = normal_matrix(rest.size(), own, sd, rng);
    drawn.array().colwise() /= rho.sqrt();
    const Eigen::ArrayXd weight = own / (own + rho);
    const Eigen::VectorXd noise = normal_vector(rest.size(), sd, rng);
    Eigen::VectorXd change = weight.sqrt() * noise.array() + weight * rest.array();
    change -= drawn.rowwise().sum();
    for_hidden([&](int d) { change(d) = 0; });
    drawn.colwise() += change / own;
    return drawn;
  }
};

}  // namespace buffet
