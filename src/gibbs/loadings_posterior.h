#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "gaussian/gaussian_collapsed.h"
#include "gaussian/gaussian_moments.h"

namespace buffet {

/// The posterior of the loadings in one draw, for data with one observation per column: N(mu,
/// sigma_x^2 m), in which columns with the same missing rows share m; or known loadings.
class LoadingsPosterior {
 public:
  Eigen::MatrixXd mu;  ///< D x K
  double variance, rho;
  Eigen::ArrayXd variances;  ///< replaces sigma_x^2 if each column has its own

  /// The posterior given Z and the standard deviations.
  LoadingsPosterior(const Features& z, const Completed& x, double sigma_x, double sigma_a)
      : variance(sigma_x * sigma_x),
        rho(variance / (sigma_a * sigma_a)),
        m_(1, Eigen::MatrixXd(z.size(), z.size())) {
    mu.setZero(x.data().width(), z.size());
    pattern_.assign(mu.rows(), 0);
    if (z.size() == 0) return;
    GaussianStatistics statistics;
    statistics.set(z, x);
    if (x.data().complete()) {
      m_[0] = ridge_inverse(statistics.c, rho);
      mu = statistics.p * m_[0];
      return;
    }
    const GaussianColumns columns(z, x, statistics);
    pattern_ = columns.patterns();
    m_.assign(1 + *std::max_element(pattern_.begin(), pattern_.end()), {});
    columns.for_each(rho, [&](int d, const auto& llt, const auto& p) {
      mu.row(d) = llt.solve(p);
      Eigen::MatrixXd& m = m_[pattern_[d]];
      if (m.size() == 0) m = llt.solve(Eigen::MatrixXd::Identity(z.size(), z.size()));
    });
  }

  /// Known loadings.
  LoadingsPosterior(Eigen::MatrixXd loadings, double sigma_x, double sigma_a)
      : mu(std::move(loadings)),
        variance(sigma_x * sigma_x),
        rho(variance / (sigma_a * sigma_a)),
        m_(1, Eigen::MatrixXd::Zero(mu.cols(), mu.cols())),
        pattern_(mu.rows(), 0) {}

  /// Number of patterns of missing rows; columns with the same pattern share m.
  int patterns() const { return static_cast<int>(m_.size()); }
  int pattern_of(int d) const { return pattern_[d]; }
  const Eigen::MatrixXd& of_pattern(int pattern) const { return m_[pattern]; }
  const Eigen::MatrixXd& m(int d) const { return m_[pattern_[d]]; }
  double variance_of(int d) const { return variances.size() > 0 ? variances(d) : variance; }

  /// A draw of the loadings.
  Eigen::MatrixXd draw(Rng& rng) const {
    Eigen::MatrixXd noise = normal_matrix(mu.cols(), mu.rows(), std::sqrt(variance), rng);
    std::vector<Eigen::MatrixXd> roots;
    for (const Eigen::MatrixXd& m : m_) roots.emplace_back(m.llt().matrixL());
    for (int d = 0; d < mu.rows(); ++d) noise.col(d) = roots[pattern_[d]] * noise.col(d).eval();
    return mu + noise.transpose();
  }

 private:
  std::vector<Eigen::MatrixXd> m_;
  std::vector<int> pattern_;
};

/// Log density of the value x in column d of a row with these features, given the other data.
inline double log_density(const LoadingsPosterior& loadings, const std::vector<int>& features,
                          int d, double x) {
  double mean = 0, spread = 1;
  for (int k : features) {
    mean += loadings.mu(d, k);
    for (int l : features) spread += loadings.m(d)(k, l);
  }
  const double variance = loadings.variance_of(d) * spread;
  return -0.5 * (std::log(2 * M_PI * variance) + (x - mean) * (x - mean) / variance);
}

}  // namespace buffet
