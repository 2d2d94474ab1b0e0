#pragma once

// A second implementation of the model, as naive as possible. It calls nothing that is under test
// except for random numbers and the container of bits.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "prior/exchangeable.h"

namespace test {

using buffet::Exchangeable;
using buffet::Features;
using buffet::Hyper;
using buffet::Rng;

/// alpha, c and discount for the infinite priors; n_features > 0 for the finite prior.
struct Parameters {
  double alpha = 1, c = 1, discount = 0;
  int n_features = 0;
};

struct PriorCase {
  std::string name;
  Parameters parameters;
  bool learns_c;
  int max_features = std::numeric_limits<int>::max();

  Exchangeable::Spec spec() const {
    const auto& p = parameters;
    return {Hyper::fixed(p.alpha), Hyper::fixed(p.c), p.discount, p.n_features, max_features};
  }
  /// The maximum number of features, or 0 if it is unlimited.
  int most() const {
    if (max_features == std::numeric_limits<int>::max()) return parameters.n_features;
    return parameters.n_features > 0 ? std::min(parameters.n_features, max_features) : max_features;
  }
  Exchangeable fixed(int rows) const { return Exchangeable(rows, spec()); }
};

/// Distinct hyperparameters, none of them 1, except that c = 1 for the one-parameter process.
inline std::vector<PriorCase> prior_cases() {
  return {{"one-parameter", {1.3, 1, 0, 0}, false},
          {"two-parameter", {1.2, 2.3, 0, 0}, true},
          {"three-parameter", {1.4, 0.6, 0.35, 0}, true},
          {"finite", {2.4, 1.7, 0, 4}, true}};
}

/// Poisson rate of the number of features that row n (counted from 1) is the first to have.
inline double rate_of_new(int n, const Parameters& p) {
  return p.alpha * std::exp(std::lgamma(1 + p.c) + std::lgamma(n - 1 + p.c + p.discount) -
                            std::lgamma(n + p.c) - std::lgamma(p.c + p.discount));
}

inline double log_beta_integral(double a, double b) {
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

/// Log probability of columns with these counts, in uniformly random order.
inline double log_prob(const std::vector<int>& counts, int rows, const Parameters& p) {
  const double size = static_cast<double>(counts.size()), d = p.discount;
  if (p.n_features > 0) {
    const double on = p.alpha * p.c / p.n_features, empty = p.n_features - size;
    double sum = std::lgamma(p.n_features + 1.0) - std::lgamma(empty + 1) - std::lgamma(size + 1);
    for (int m : counts) sum += log_beta_integral(on + m, p.c + rows - m);
    sum += empty * log_beta_integral(on, p.c + rows);
    return sum - p.n_features * log_beta_integral(on, p.c);
  }
  double sum = size * std::log(p.alpha) - std::lgamma(size + 1);
  for (int n = 1; n <= rows; ++n) sum -= rate_of_new(n, p);
  for (int m : counts)
    sum += std::lgamma(1 + p.c) - std::lgamma(1 - d) - std::lgamma(p.c + d) + std::lgamma(m - d) +
           std::lgamma(rows - m + p.c + d) - std::lgamma(rows + p.c);
  return sum;
}

inline std::vector<int> counts_of(const Features& z) {
  std::vector<int> counts(z.size(), 0);
  for (int k = 0; k < z.size(); ++k)
    for (int i = 0; i < z.rows(); ++i) counts[k] += z.at(i, k);
  return counts;
}

inline double log_prob(const Features& z, const Parameters& p) {
  return log_prob(counts_of(z), z.rows(), p);
}

inline Eigen::MatrixXd dense(const Features& z) {
  Eigen::MatrixXd m(z.rows(), z.size());
  for (int i = 0; i < z.rows(); ++i)
    for (int k = 0; k < z.size(); ++k) m(i, k) = z.at(i, k);
  return m;
}

inline Features from_dense(const Eigen::MatrixXd& m) {
  Features z(static_cast<int>(m.rows()));
  for (int k = 0; k < m.cols(); ++k) {
    buffet::Bits column(z.rows());
    for (int i = 0; i < z.rows(); ++i)
      if (m(i, k) > 0) column.set(i);
    z.add(column);
  }
  return z;
}

struct Scales {
  double x = 1, a = 1;
  std::vector<double> columns = {};  ///< the noise of each column, if columns have their own

  double noise(int d) const { return columns.empty() ? x : columns[d]; }
  double precision_x(int d) const { return 1 / (noise(d) * noise(d)); }
  double precision_x() const { return 1 / (x * x); }
  double precision_a() const { return 1 / (a * a); }
};

/// log p(X | Z): every column of X (N x D) is N(0, sigma_a^2 Z Z' + sigma_x^2 I). Computed in long
/// double, because the condition number of the covariance may be close to the inverse of double's
/// rounding error.
inline double log_lik_complete(const Eigen::MatrixXd& z, const Eigen::MatrixXd& x, Scales sigma) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Matrix zl = z.cast<long double>(), xl = x.cast<long double>();
  const long double noise = sigma.x, spread = sigma.a;
  Matrix covariance = spread * spread * zl * zl.transpose();
  covariance.diagonal().array() += noise * noise;
  const Eigen::LLT<Matrix> llt(covariance);
  const Matrix whitened = llt.matrixL().solve(xl);
  long double log_det = 0;
  for (int i = 0; i < covariance.rows(); ++i) log_det += 2 * std::log(llt.matrixLLT()(i, i));
  const long double cells = static_cast<long double>(x.size());
  return static_cast<double>(-0.5L * (cells * std::log(2 * 3.14159265358979323846264338L) +
                                      x.cols() * log_det + whitened.squaredNorm()));
}

/// log p(X | Z) for the entries that are not NaN: for every column, only the rows in which it is
/// observed.
inline double log_lik(const Eigen::MatrixXd& z, const Eigen::MatrixXd& x, Scales sigma) {
  if (!x.hasNaN() && sigma.columns.empty()) return log_lik_complete(z, x, sigma);
  double sum = 0;
  for (int d = 0; d < x.cols(); ++d) {
    int have = 0;
    Eigen::MatrixXd rows(z.rows(), z.cols()), values(x.rows(), 1);
    for (int i = 0; i < x.rows(); ++i) {
      if (std::isnan(x(i, d))) continue;
      rows.row(have) = z.row(i);
      values(have++) = x(i, d);
    }
    const Scales own{sigma.noise(d), sigma.a};
    if (have > 0) sum += log_lik_complete(rows.topRows(have), values.topRows(have), own);
  }
  return sum;
}

}  // namespace test
