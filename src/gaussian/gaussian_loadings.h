#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/log_sum.h"
#include "core/normal_vector.h"
#include "core/resize.h"
#include "core/rng.h"
#include "core/truncated_normal.h"
#include "gaussian_moments.h"

namespace buffet {

/// Normal loadings, N(0, variance / rho_d) in column d.
struct NormalLoadings {
  double variance;  ///< noise variance
  Eigen::ArrayXd rho;

  /// Draws the loadings of `count` >= 1 singletons of a row given its residual without them: their
  /// sum is normal entry by entry; given the sum, they are normal around equal parts of it.
  /// for_hidden calls its argument for the missing columns, which carry no information.
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

/// Sufficient statistics for the loadings of a feature from rows that all have it: for each column,
/// the number of observed entries and the sum of their residuals without the feature.
struct LoadingSums {
  Eigen::ArrayXd observed, rest;

  static LoadingSums none(Eigen::Index width) {
    return {Eigen::ArrayXd::Zero(width), Eigen::ArrayXd::Zero(width)};
  }
  friend LoadingSums operator+(const LoadingSums& a, const LoadingSums& b) {
    return {a.observed + b.observed, a.rest + b.rest};
  }
};

/// Loadings N(0, sigma_a^2) of one feature, truncated to [0, inf), given the loadings of all
/// others.
struct NonnegativeLoadings {
  double variance;     ///< noise variance
  double precision_a;  ///< 1 / sigma_a^2

  /// Log of the likelihood with the feature's loadings integrated out, minus that without the
  /// feature.
  double log_evidence(const LoadingSums& s) const {
    const double rho = variance * precision_a;
    const Eigen::ArrayXd spread = s.observed + rho;
    const Eigen::ArrayXd t = s.rest / (variance * spread).sqrt();
    double sum = double(t.size()) * (M_LN2 + 0.5 * std::log(rho)) - 0.5 * sum_of_logs(spread) +
                 0.5 * t.square().sum();
    for (int d = 0; d < t.size(); ++d) sum += quick_log_normal_cdf(t(d));
    return sum;
  }

  /// Log likelihood given a loading minus that without the feature.
  double log_ratio(const Eigen::VectorXd& loading, const LoadingSums& s) const {
    return (loading.array() * (s.rest - 0.5 * s.observed * loading.array())).sum() / variance;
  }

  Eigen::VectorXd draw(const LoadingSums& s, Rng& rng) const {
    Eigen::VectorXd loading(s.rest.size());
    for (int d = 0; d < loading.size(); ++d) {
      const double spread = s.observed(d) + variance * precision_a;
      loading(d) = draw_nonnegative_normal(s.rest(d) / spread, std::sqrt(variance / spread), rng);
    }
    return loading;
  }
};

/// One Gibbs pass over the loadings (D x K): draws the loadings of each feature given Z and the
/// loadings of the others.
inline Eigen::MatrixXd draw_nonnegative_loadings(const NonnegativeLoadings& law,
                                                 const GaussianStatistics& s, Eigen::MatrixXd a,
                                                 Rng& rng) {
  std::vector<int> order;
  rng.permutation(static_cast<int>(a.cols()), order);
  for (int k : order) {
    const double weight = 1 / (s.c(k, k) + law.variance * law.precision_a);
    const double sd = std::sqrt(weight * law.variance);
    const Eigen::VectorXd left = s.p.col(k) - a * s.c.col(k) + s.c(k, k) * a.col(k);
    for (int d = 0; d < left.size(); ++d)
      a(d, k) = draw_nonnegative_normal(weight * left(d), sd, rng);
  }
  return a;
}

/// Nonnegative loadings of a row's singletons, by births and deaths. The loadings of a proposed
/// feature are integrated out, given all others, and drawn after acceptance, so that a death is
/// accepted with the inverse of the ratio for the reverse birth.
class OwnNonnegative {
 public:
  /// `left`: the row's statistics for one more feature, given its current singletons.
  OwnNonnegative(NonnegativeLoadings law, LoadingSums left, Eigen::MatrixXd loadings)
      : law_(law), left_(std::move(left)), loadings_(std::move(loadings)) {}

  /// D x number of singletons.
  const Eigen::MatrixXd& loadings() const { return loadings_; }

  template <class LogPriorRatio>
  void move(LogPriorRatio log_prior_ratio, Rng& rng) {
    for (int n = 0; n < tries; ++n) {
      const int own = static_cast<int>(loadings_.cols());
      if (rng.bernoulli(0.5))
        try_birth(log_prior_ratio(own), rng);
      else if (own > 0)
        try_death(log_prior_ratio(own - 1), rng);
    }
  }

 private:
  static constexpr int tries = 4;

  void try_birth(double log_prior_ratio, Rng& rng) {
    if (std::log(rng.uniform()) >= log_prior_ratio + law_.log_evidence(left_)) return;
    append_column(loadings_, law_.draw(left_, rng));
    left_.rest -= left_.observed * loadings_.col(loadings_.cols() - 1).array();
  }

  void try_death(double log_prior_ratio, Rng& rng) {
    const int n = rng.below(static_cast<int>(loadings_.cols()));
    LoadingSums without = left_;
    without.rest += left_.observed * loadings_.col(n).array();
    if (std::log(rng.uniform()) >= -log_prior_ratio - law_.log_evidence(without)) return;
    left_ = std::move(without);
    drop_column(loadings_, n);
  }

  NonnegativeLoadings law_;
  LoadingSums left_;
  Eigen::MatrixXd loadings_;
};

}  // namespace buffet
