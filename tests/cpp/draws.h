#pragma once

// Draws of all variables from the prior, from the processes that define it.

#include <Eigen/Dense>
#include <vector>

#include "reference.h"

namespace test {

inline int draw_poisson(double rate, Rng& rng) {
  int n = 0;
  for (double product = rng.uniform(); product > std::exp(-rate); product *= rng.uniform()) ++n;
  return n;
}

/// The buffet, one row at a time.
inline Features draw_buffet(int rows, const Parameters& p, Rng& rng) {
  std::vector<std::vector<int>> members;
  for (int n = 1; n <= rows; ++n) {
    for (auto& m : members)
      if (rng.bernoulli((static_cast<double>(m.size()) - p.discount) / (n - 1 + p.c)))
        m.push_back(n - 1);
    const int born = draw_poisson(rate_of_new(n, p), rng);
    for (int j = 0; j < born; ++j) members.push_back({n - 1});
  }
  Features z(rows);
  for (const auto& m : members) {
    buffet::Bits column(rows);
    for (int i : m) column.set(i);
    z.add(column);
  }
  return z;
}

/// n_features coins with beta-distributed biases; empty columns are not part of Z.
inline Features draw_finite(int rows, const Parameters& p, Rng& rng) {
  Features z(rows);
  for (int k = 0; k < p.n_features; ++k) {
    const double on = rng.gamma(p.alpha * p.c / p.n_features, 1), off = rng.gamma(p.c, 1);
    buffet::Bits column(rows);
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(on / (on + off))) column.set(i);
    if (column.count() > 0) z.add(column);
  }
  return z;
}

inline Features draw_features(int rows, const Parameters& p, Rng& rng) {
  return p.n_features > 0 ? draw_finite(rows, p, rng) : draw_buffet(rows, p, rng);
}

inline Eigen::MatrixXd draw_normal(int rows, int columns, double sd, Rng& rng) {
  Eigen::MatrixXd m(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) m(i, j) = sd * rng.normal();
  return m;
}

inline Eigen::MatrixXd draw_noise(int rows, int columns, const Scales& sigma, Rng& rng) {
  Eigen::MatrixXd noise(rows, columns);
  for (int d = 0; d < columns; ++d) noise.col(d) = draw_normal(rows, 1, sigma.noise(d), rng);
  return noise;
}

/// X (N x D) = Z A + noise.
inline Eigen::MatrixXd draw_data(const Features& z, int columns, const Scales& sigma, Rng& rng) {
  Eigen::MatrixXd x = draw_noise(z.rows(), columns, sigma, rng);
  if (z.size() > 0) x += dense(z) * draw_normal(z.size(), columns, sigma.a, rng);
  return x;
}

/// A draw of A (K x D) given Z and the entries that are not NaN.
inline Eigen::MatrixXd draw_loadings(const Eigen::MatrixXd& z, const Eigen::MatrixXd& x,
                                     const Scales& sigma, Rng& rng) {
  const auto size = z.cols();
  Eigen::MatrixXd a(size, x.cols());
  if (size == 0) return a;
  for (int d = 0; d < x.cols(); ++d) {
    Eigen::MatrixXd precision = Eigen::MatrixXd::Identity(size, size) * sigma.precision_a();
    Eigen::VectorXd shift = Eigen::VectorXd::Zero(size);
    for (int i = 0; i < x.rows(); ++i) {
      if (std::isnan(x(i, d))) continue;
      precision += sigma.precision_x(d) * z.row(i).transpose() * z.row(i);
      shift += sigma.precision_x(d) * x(i, d) * z.row(i).transpose();
    }
    const Eigen::MatrixXd covariance = precision.inverse(), root = covariance.llt().matrixL();
    a.col(d) = covariance * shift + root * draw_normal(static_cast<int>(size), 1, 1, rng);
  }
  return a;
}

/// Makes every entry missing with this probability.
inline Eigen::MatrixXd with_missing(Eigen::MatrixXd x, double probability, Rng& rng) {
  for (int n = 0; n < x.size(); ++n)
    if (rng.bernoulli(probability)) x(n) = std::nan("");
  return x;
}

/// Bits are on with probability 1/3, and no column is empty. There may be singletons.
inline Features random_features(int rows, int size, Rng& rng) {
  Features z(rows);
  for (int k = 0; k < size; ++k) {
    buffet::Bits column(rows);
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(1 / 3.0)) column.set(i);
    if (column.count() == 0 || rng.bernoulli(0.2)) {
      column = buffet::Bits(rows);
      column.set(rng.below(rows));
    }
    z.add(column);
  }
  return z;
}

}  // namespace test
