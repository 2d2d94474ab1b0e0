#pragma once

#include <testthat/vendor/catch.h>

#include "draws.h"
#include "gaussian/gaussian_collapsed.h"

namespace test {

inline buffet::Precisions fixed_precisions(Scales sigma) {
  return {Hyper::fixed(sigma.precision_x()), Hyper::fixed(sigma.precision_a())};
}

/// Data of a given size, and their collapsed likelihood.
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
        likelihood(data, fixed_precisions(sigma)) {}
  GaussianCase(const GaussianCase&) = delete;

  /// Log likelihood of the observed entries.
  double naive_log_lik(const Features& z) const { return log_lik(dense(z), x, sigma); }

  /// The data during a visit to row i, in which the missing entries of the other rows are filled
  /// in.
  Eigen::MatrixXd seen_from(int i) const {
    Eigen::MatrixXd seen = x;
    likelihood.completed().for_all_hidden([&](int row, int d, double value) {
      if (row != i) seen(row, d) = value;
    });
    return seen;
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double naive_log_ratio(Features z, int i, int k) const {
    const Eigen::MatrixXd seen = seen_from(i);
    const double by = z.at(i, k) ? -1 : 1, before = log_lik(dense(z), seen, sigma);
    z.flip(i, k);
    return by * (log_lik(dense(z), seen, sigma) - before);
  }
};

/// Tolerances are relative to the log likelihoods that are subtracted or added.
inline void check_close(double value, double expected, double size = 0) {
  CHECK(value == Approx(expected).epsilon(1e-10).margin(1e-10 * (1 + size)));
}

/// Compares every bit of row i, including singletons, with the difference of naive log likelihoods.
inline void check_row(const GaussianCase& g, const Features& z, int i) {
  const double size = std::abs(g.naive_log_lik(z));
  for (int k = 0; k < z.size(); ++k)
    check_close(g.likelihood.log_ratio(k), g.naive_log_ratio(z, i, k), size);
}

}  // namespace test
