#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/draws.h"
#include "core/features.h"
#include "core/fitted.h"
#include "core/rng.h"
#include "likelihood/gaussian_collapsed.h"
#include "likelihood/gaussian_column_noise.h"
#include "likelihood/gaussian_columns.h"
#include "likelihood/gaussian_nonnegative.h"
#include "new_row.h"

namespace buffet {

/// What one draw tells of the loadings, on data with one observation a column: they are N(mu,
/// sigma_x^2 m) with one m for all columns, or one each where entries are missing, or given.
class LoadingsPosterior {
 public:
  Eigen::MatrixXd mu;  ///< D x K
  double variance, rho;
  Eigen::ArrayXd variances;  ///< in the place of sigma_x^2, where each column has its own

  /// Given Z and the standard deviations.
  LoadingsPosterior(const Features& z, const Completed& x, double sigma_x, double sigma_a)
      : variance(sigma_x * sigma_x), rho(variance / (sigma_a * sigma_a)) {
    mu.setZero(x.data().width(), z.size());
    m_.assign(x.data().complete() ? 1 : mu.rows(), Eigen::MatrixXd(z.size(), z.size()));
    if (z.size() == 0) return;
    GaussianStatistics statistics;
    statistics.set(z, x);
    if (x.data().complete()) {
      m_[0] = ridge_inverse(statistics.c, rho);
      mu = statistics.p * m_[0];
      return;
    }
    GaussianColumns(z, x, statistics).for_each(rho, [&](int d, const auto& llt, const auto& p) {
      mu.row(d) = llt.solve(p);
      m_[d] = llt.solve(Eigen::MatrixXd::Identity(z.size(), z.size()));
    });
  }

  /// Loadings that are known.
  LoadingsPosterior(Eigen::MatrixXd loadings, double sigma_x, double sigma_a)
      : mu(std::move(loadings)),
        variance(sigma_x * sigma_x),
        rho(variance / (sigma_a * sigma_a)),
        m_(1, Eigen::MatrixXd::Zero(mu.cols(), mu.cols())) {}

  /// The m of column d.
  const Eigen::MatrixXd& m(int d) const { return m_.size() == 1 ? m_[0] : m_[d]; }
  bool one_for_all() const { return m_.size() == 1; }
  double variance_of(int d) const { return variances.size() > 0 ? variances(d) : variance; }

  /// A draw of the loadings.
  Eigen::MatrixXd draw(Rng& rng) const {
    Eigen::MatrixXd noise = normal_matrix(mu.cols(), mu.rows(), std::sqrt(variance), rng);
    if (one_for_all()) return mu + (root(0) * noise).transpose();
    for (int d = 0; d < mu.rows(); ++d) noise.col(d) = root(d) * noise.col(d).eval();
    return mu + noise.transpose();
  }

 private:
  Eigen::MatrixXd root(int d) const { return m(d).llt().matrixL(); }

  std::vector<Eigen::MatrixXd> m_;
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

/// The features of a row that was not among the data, given one draw of theirs: Gibbs on
/// x | z ~ N(z mu, sigma_x^2 (1 + z m z')) over the row's observed entries, with one m for all
/// columns. Entries that are NaN are missing.
class NewRow {
 public:
  NewRow(const LoadingsPosterior& loadings, const Eigen::VectorXd& x)
      : loadings_(loadings), x_(x), z_(Eigen::VectorXd::Zero(loadings.mu.cols())) {
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

  static constexpr bool ratios_add_up = true;
  void enter() {}
  double log_ratio(int k) {
    const double before = z_(k);
    z_(k) = 1;
    const double on = log_density();
    z_(k) = 0;
    const double off = log_density();
    z_(k) = before;
    return on - off;
  }
  void set(int k, bool on, Rng&) { z_(k) = on ? 1 : 0; }

  /// Draws the number of features that only this row has.
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const OwnDensity own_density{density(), {spread(), distance()}};
    own_ = draw_own_count(log_prior_ratio, own_density, rng);
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

  Eigen::VectorXd bits(int) const { return z_; }

 private:
  double spread() const { return z_.dot(loadings_.m(0) * z_); }
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

/// Gives a likelihood the loadings and the standard deviations that are known of a draw.
inline void take_over(const LoadingsPosterior& given, GaussianNonnegative& likelihood) {
  likelihood.set_precisions(1 / given.variance, given.rho / given.variance);
  likelihood.set_loadings(given.mu);
}
inline void take_over(const LoadingsPosterior& given, GaussianColumnNoise& likelihood) {
  likelihood.set_precisions(given.variances.inverse().eval(), given.rho / given.variance);
  likelihood.set_weights(given.mu);
}

/// D x K.
inline const Eigen::MatrixXd& loadings_in(const GaussianNonnegative& likelihood) {
  return likelihood.loadings();
}
inline Eigen::MatrixXd loadings_in(const GaussianColumnNoise& likelihood) {
  return likelihood.weights();
}

/// The same where loadings are known.
template <class Likelihood>
class NewGaussianRow : public KnownNewRow<GaussianData, Likelihood> {
  using Base = KnownNewRow<GaussianData, Likelihood>;

 public:
  NewGaussianRow(const LoadingsPosterior& loadings, const Eigen::VectorXd& x)
      : Base(GaussianData(Base::both(x), false), Precisions{},
             static_cast<int>(loadings.mu.cols())) {
    take_over(loadings, this->likelihood_);
  }

  /// z A of the state.
  Eigen::VectorXd mean() const {
    const Features& z = this->z_;
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(this->data_.width());
    const auto& a = loadings_in(this->likelihood_);
    for (int k = 0; k < z.size(); ++k)
      if (z.at(1, k)) sum += a.col(k);
    return sum;
  }
};

}  // namespace buffet
