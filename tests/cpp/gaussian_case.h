#pragma once

#include "draws.h"
#include "likelihood/gaussian_collapsed.h"

namespace test {

/// Data of one size, and the collapsed likelihood of them.
struct GaussianCase {
  Scales sigma;
  Eigen::MatrixXd x;  ///< N x D
  buffet::GaussianData data;
  buffet::GaussianCollapsed likelihood;

  GaussianCase(int rows, int columns, Scales sigma_, Rng& rng, bool rotate = true)
      : GaussianCase(draw_data(random_features(rows, 3, rng), columns, {0.7, 1.4}, rng), sigma_,
                     rotate) {}
  GaussianCase(Eigen::MatrixXd x_, Scales sigma_, bool rotate = true)
      : sigma(sigma_),
        x(std::move(x_)),
        data(Eigen::MatrixXd(x.transpose()), rotate),
        likelihood(
            data, {Hyper::fixed(1 / (sigma.x * sigma.x)), Hyper::fixed(1 / (sigma.a * sigma.a))}) {}
  GaussianCase(const GaussianCase&) = delete;

  double naive_log_lik(const Features& z) const { return log_lik(dense(z), x, sigma); }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double naive_log_ratio(Features z, int i, int k) const {
    const double by = z.at(i, k) ? -1 : 1, before = naive_log_lik(z);
    z.flip(i, k);
    return by * (naive_log_lik(z) - before);
  }
};

}  // namespace test
