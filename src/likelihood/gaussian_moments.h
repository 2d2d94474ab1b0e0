#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "core/normal_vector.h"
#include "core/resize.h"
#include "core/rng.h"
#include "gaussian_statistics.h"

namespace buffet {

/// (C + rho I)^-1.
inline Eigen::MatrixXd ridge_inverse(const Eigen::MatrixXd& c, double rho) {
  Eigen::MatrixXd a = c;
  a.diagonal().array() += rho;
  return a.llt().solve(Eigen::MatrixXd::Identity(c.rows(), c.cols()));
}

/// A draw of normal loadings (D x K) given Z: A ~ N(M P, variance M), M = (C + rho I)^-1 = L'^-1
/// L^-1.
inline Eigen::MatrixXd draw_normal_loadings(const GaussianStatistics& s, double variance,
                                            double rho, Rng& rng) {
  Eigen::MatrixXd shared = s.c;
  shared.diagonal().array() += rho;
  const Eigen::LLT<Eigen::MatrixXd> llt(shared);
  Eigen::MatrixXd draw = normal_matrix(s.c.rows(), s.p.rows(), std::sqrt(variance), rng);
  if (draw.size() == 0) return draw.transpose();
  draw += llt.matrixL().solve(s.p.transpose());
  llt.matrixU().solveInPlace(draw);
  return draw.transpose();
}

/// What the posterior of the loadings leaves for the rows: M = (Z'Z + rho I)^-1 and G = mu mu', mu
/// = M Z'X the posterior mean, which is not kept.
struct LoadingsMoments {
  Eigen::MatrixXd m, g;

  void set(const GaussianStatistics& s, double rho) {
    const auto size = s.c.rows();
    m.resize(size, size);
    g.resize(size, size);
    if (size == 0) return;
    m = ridge_inverse(s.c, rho);
    const Eigen::MatrixXd mu = s.p * m;
    g.noalias() = mu.transpose() * mu;
  }

  void drop(int k) {
    drop_both(m, k);
    drop_both(g, k);
  }

  /// A feature that no row has yet.
  void append(double variance) {
    append_both(m, variance);
    append_both(g, 0);
  }
};

}  // namespace buffet
