#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "../core/draws.h"
#include "../core/features.h"
#include "../core/rng.h"
#include "../inference/sweep.h"
#include "gaussian_collapsed.h"

namespace buffet {

/// Posterior of the loadings given one draw of Z and the standard deviations, on data with one
/// observation a column: mean mu (D x K) and covariance sigma_x^2 m of each row of it.
struct LoadingsPosterior {
  Eigen::MatrixXd mu, m;
  double variance, rho;

  LoadingsPosterior(const Features& z, const Eigen::MatrixXd& x, double sigma_x, double sigma_a)
      : variance(sigma_x * sigma_x), rho(variance / (sigma_a * sigma_a)) {
    const int size = z.size();
    mu.setZero(x.rows(), size);
    m.setZero(size, size);
    if (size == 0) return;
    GaussianStatistics statistics;
    statistics.set_counts(z);
    for (int k = 0; k < size; ++k) z.column(k).for_each([&](int i) { mu.col(k) += x.col(i); });
    m = ridge_inverse(statistics.c, rho);
    mu = mu * m;
  }
};

/// Adds Z mu of one draw to `sum` (D x N).
inline void add_fitted(const Features& z, const LoadingsPosterior& loadings, Eigen::MatrixXd& sum) {
  for (int k = 0; k < z.size(); ++k)
    z.column(k).for_each([&](int i) { sum.col(i) += loadings.mu.col(k); });
}

/// The features of a row that was not among the data, given one draw of theirs: Gibbs on
/// x | z ~ N(z mu, sigma_x^2 (1 + z m z')) over the row's observed entries. Entries that are NaN
/// are missing.
class NewRow {
 public:
  NewRow(const LoadingsPosterior& loadings, const Eigen::VectorXd& x)
      : loadings_(loadings), x_(x), z_(Eigen::VectorXd::Zero(loadings.m.rows())) {
    const auto size = z_.size();
    g_.setZero(size, size);
    c_.setZero(size);
    for (int d = 0; d < x.size(); ++d) {
      if (std::isnan(x(d))) continue;
      ++observed_;
      square_ += x(d) * x(d);
      c_ += x(d) * loadings.mu.row(d).transpose();
    }
    if (observed_ == x.size()) {
      g_.noalias() = loadings.mu.transpose() * loadings.mu;
    } else {
      for (int d = 0; d < x.size(); ++d)
        if (!std::isnan(x(d))) g_ += loadings.mu.row(d).transpose() * loadings.mu.row(d);
    }
  }

  /// One pass of a rule over the bits; log_odds(k) is the prior's.
  template <class LogOdds, class Rule>
  void sweep(LogOdds log_odds, Rule rule, Rng& rng) {
    rng.permutation(static_cast<int>(z_.size()), order_);
    for (int k : order_) {
      z_(k) = 0;
      const double off = log_density();
      z_(k) = 1;
      z_(k) = rule(log_odds(k) + log_density() - off) ? 1 : 0;
    }
  }

  /// Draws the number of features that only this row has.
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    own_ = draw_own_count(log_prior_ratio, density(), {spread(), distance()}, rng);
  }

  /// E[z A | x, z]: an observed entry also tells of the loadings themselves.
  Eigen::VectorXd mean() const {
    const Eigen::VectorXd fit = loadings_.mu * z_;
    const double t = spread() + own_ / loadings_.rho, weight = t / (1 + t);
    Eigen::VectorXd mean = fit;
    for (int d = 0; d < x_.size(); ++d)
      if (!std::isnan(x_(d))) mean(d) += weight * (x_(d) - fit(d));
    return mean;
  }

  const Eigen::VectorXd& bits() const { return z_; }

 private:
  double spread() const { return z_.dot(loadings_.m * z_); }
  double distance() const { return square_ - 2 * z_.dot(c_) + z_.dot(g_ * z_); }
  RowDensity density() const { return {double(observed_), loadings_.variance, loadings_.rho}; }
  double log_density() const { return density()({spread() + own_ / loadings_.rho, distance()}); }

  const LoadingsPosterior& loadings_;
  const Eigen::VectorXd& x_;
  Eigen::VectorXd z_, c_;
  Eigen::MatrixXd g_;
  int observed_ = 0, own_ = 0;
  double square_ = 0;
  std::vector<int> order_;
};

struct NewRowMeans {
  Eigen::VectorXd response, features;
};

/// Samples new rows given one draw. Each climbs to a good state, then its means are taken over the
/// last half of the Gibbs sweeps. `prior` is that of one row more than z has.
template <class Prior>
struct NewRowSampler {
  const LoadingsPosterior& loadings;
  const Features& z;
  const Prior& prior;
  int sweeps;

  NewRowMeans operator()(const Eigen::VectorXd& x, Rng& rng) const {
    NewRow row(loadings, x);
    const auto log_odds = [&](int k) { return prior.log_odds_of(z.count(k)); };
    const auto log_own_ratio = [&](int j) { return prior.log_own_ratio(z.size(), j); };
    for (int n = 0; n < 5; ++n) row.sweep(log_odds, Best{}, rng);
    NewRowMeans sum{Eigen::VectorXd::Zero(x.size()), Eigen::VectorXd::Zero(z.size())};
    const int kept = (sweeps + 1) / 2;
    for (int n = 0; n < sweeps; ++n) {
      row.sweep(log_odds, Draw{rng}, rng);
      row.draw_own(log_own_ratio, rng);
      if (n < sweeps - kept) continue;
      sum.response += row.mean();
      sum.features += row.bits();
    }
    return {sum.response / kept, sum.features / kept};
  }
};

}  // namespace buffet
