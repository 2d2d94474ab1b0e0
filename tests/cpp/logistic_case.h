#pragma once

// A second implementation of logistic regressions of binary data on features.

#include <testthat/vendor/catch.h>

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "draws.h"
#include "likelihood/logistic.h"

namespace test {

using buffet::BinaryData;
using buffet::Logistic;
using buffet::LogisticScales;

/// y: N x D zeros and ones, NaN if missing.
inline BinaryData as_binary(const Eigen::MatrixXd& y) {
  BinaryData::Signs signs(y.cols(), y.rows());
  for (int i = 0; i < y.rows(); ++i)
    for (int j = 0; j < y.cols(); ++j)
      signs(j, i) = static_cast<signed char>(std::isnan(y(i, j)) ? 0 : y(i, j) > 0 ? 1 : -1);
  return BinaryData(std::move(signs));
}

/// Log probability of one entry, which is 0 if the entry is missing.
inline double log_prob_entry(double y, long double psi) {
  if (std::isnan(y)) return 0;
  const long double t = y > 0 ? psi : -psi;
  return static_cast<double>(t > 0 ? -std::log1p(std::exp(-t)) : t - std::log1p(std::exp(t)));
}

/// Log odds, N x D, given z (N x K), w (D x K) and a bias for every column.
inline Eigen::MatrixXd log_odds(const Eigen::MatrixXd& z, const Eigen::MatrixXd& w,
                                const Eigen::VectorXd& bias) {
  Eigen::MatrixXd psi = bias.transpose().replicate(z.rows(), 1);
  if (z.cols() > 0) psi += z * w.transpose();
  return psi;
}

inline double log_prob_row(const Eigen::MatrixXd& y, const Eigen::MatrixXd& psi, int i) {
  double sum = 0;
  for (int j = 0; j < y.cols(); ++j) sum += log_prob_entry(y(i, j), psi(i, j));
  return sum;
}
inline double log_lik(const Eigen::MatrixXd& y, const Eigen::MatrixXd& psi) {
  double sum = 0;
  for (int i = 0; i < y.rows(); ++i) sum += log_prob_row(y, psi, i);
  return sum;
}

/// Draws ones and zeros given log odds.
inline Eigen::MatrixXd draw_binary(const Eigen::MatrixXd& psi, Rng& rng) {
  return psi.unaryExpr(
      [&](double t) { return rng.uniform() < 1 / (1 + std::exp(-t)) ? 1.0 : 0.0; });
}

inline LogisticScales fixed_scales(double sigma_a, double sigma_b, bool bias) {
  return {Hyper::fixed(1 / (sigma_a * sigma_a)), Hyper::fixed(1 / (sigma_b * sigma_b)), bias};
}

/// Features, weights and data with some missing entries.
struct LogisticCase {
  bool bias;
  double sigma_a, sigma_b;
  Features z;
  Eigen::MatrixXd w;  ///< D x K
  Eigen::VectorXd b;
  Eigen::MatrixXd y;
  BinaryData data;

  /// Some cases have rows or columns without observed entries, or sizes beyond the blocks of sums.
  static LogisticCase random(Rng& rng, double scale = 1.6) {
    const int rows = 1 + rng.below(9), columns = 1 + rng.below(rng.bernoulli(0.3) ? 80 : 6);
    const bool bias = rng.bernoulli(0.5);
    Features z = random_features(rows, rng.below(6), rng);
    const Eigen::MatrixXd w = draw_normal(columns, z.size(), scale, rng);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(columns);
    if (bias) b = draw_normal(columns, 1, 0.8, rng);
    Eigen::MatrixXd y = draw_binary(log_odds(dense(z), w, b), rng);
    if (rng.bernoulli(0.7)) y = with_missing(y, 0.25, rng);
    if (rng.bernoulli(0.2)) y.row(rng.below(rows)).setConstant(NAN);
    if (rng.bernoulli(0.2)) y.col(rng.below(columns)).setConstant(NAN);
    return {bias, 0.4 + 2 * rng.uniform(), 0.4 + 2 * rng.uniform(), z, w, b, y, as_binary(y)};
  }

  LogisticScales scales() const { return fixed_scales(sigma_a, sigma_b, bias); }
  template <class L = Logistic>
  L likelihood() const {
    L made(data, scales());
    made.set_weights(w, b);
    return made;
  }
  double log_lik() const { return test::log_lik(y, log_odds(dense(z), w, b)); }
};

}  // namespace test
