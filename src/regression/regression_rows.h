#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/features.h"
#include "core/log_sum.h"
#include "core/resize.h"
#include "core/rng.h"
#include "gaussian/gaussian_row.h"
#include "regression_statistics.h"
#include "regressions.h"

namespace buffet {

/// Log density of a row, up to a constant, as a function of its number of singletons: its residual
/// without them, in units of the noise, is N(0, 1 + j ratio_d) in column d. Terms that do not
/// depend on the row are cached until the ratios change.
class OwnColumnDensity {
 public:
  /// The limit is lower than for likelihoods without loadings in the state.
  static constexpr int too_many = 1000;

  /// Ratios of the variances of loadings to the variances of the noise.
  void set(Eigen::ArrayXd ratio) {
    ratio_ = std::move(ratio);
    shares_.clear();
    log_shares_.clear();
  }

  /// The squared residuals of a row, 0 for missing entries, and which entries are observed.
  void enter(Eigen::ArrayXd squares) {
    squares_ = std::move(squares);
    fits_.clear();
    hidden_.clear();
  }
  void leave_out(int d) { hidden_.push_back(d); }

  double operator()(int own) {
    double sum = fit(own);  // called first, because it computes the shares
    sum += 0.5 * log_shares_[own];
    for (int d : hidden_) sum -= 0.5 * std::log(shares_[own](d));
    return sum;
  }
  /// An upper bound on the gain in fit, which ignores the cost; it decreases with j.
  double most_gain(int j) { return fit(j) - fit(j - 1); }
  int most_own() const { return most_own_; }
  /// The limit is the same as in RowDensity.
  void set_most_own(int most) { most_own_ = most; }

  void archive(Archive& a) { a(most_own_); }

 private:
  double fit(int own) {
    for (int j = static_cast<int>(fits_.size()); j <= own; ++j) {
      if (j == static_cast<int>(shares_.size())) {
        const Eigen::ArrayXd spread = 1 + j * ratio_;
        shares_.push_back(spread.inverse());
        log_shares_.push_back(-sum_of_logs(spread));
      }
      fits_.push_back(-0.5 * (squares_ * shares_[j]).sum());
    }
    return fits_[own];
  }

  Eigen::ArrayXd ratio_, squares_;
  std::vector<Eigen::ArrayXd> shares_;  ///< share of noise in the residual, by number of singletons
  std::vector<double> log_shares_, fits_;
  std::vector<int> hidden_;
  int most_own_ = too_many;
};

/// One observation of D normal regressions, as in RegressionData.
struct RegressionObservation {
  Eigen::ArrayXd omega, kappa;

  /// Log density, up to terms that do not depend on `mean` and `variance`, if the linear predictor
  /// of regression d is N(mean(d), variance(d)). `mean` and `variance` are arrays or functions of
  /// d.
  template <class Mean, class Variance>
  double log_density(const Mean& mean, const Variance& variance) const {
    double fit = 0;
    LogProduct spreads;
    for (Eigen::Index d = 0; d < omega.size(); ++d) {
      const double m = mean(d), v = variance(d), spread = 1 + v * omega(d);
      fit += (kappa(d) * (kappa(d) * v + 2 * m) - omega(d) * m * m) / spread;
      spreads.multiply(spread);
    }
    return 0.5 * (fit - spreads.log());
  }
};

/// Log density of one observation, up to a constant, as a function of its number of singletons, in
/// the form that draw_own_count() needs: each singleton adds the variance of a weight.
struct OwnRegressionDensity {
  const RegressionObservation& observed;
  const Eigen::ArrayXd &mean, &variance;
  double variance_of_weight;

  double operator()(int own) const {
    const double added = own * variance_of_weight;
    return observed.log_density(mean, [&](Eigen::Index d) { return variance(d) + added; });
  }
  /// Bound on the gain from singleton j: the improvement in fit, ignoring the larger spread; it
  /// decreases with j.
  double most_gain(int j) const {
    double gain = 0;
    for (Eigen::Index d = 0; d < mean.size(); ++d) {
      const double omega = observed.omega(d), rest = observed.kappa(d) - omega * mean(d),
                   before = 1 + omega * (variance(d) + (j - 1) * variance_of_weight);
      gain += rest * rest / (before * (before + omega * variance_of_weight));
    }
    return 0.5 * variance_of_weight * gain;
  }
  int most_own() const { return OwnColumnDensity::too_many; }
};

/// Row visits in regressions whose weights are integrated out. Given the rows, the bias and weights
/// of a column are normal: the current row is removed from their mean and covariance, and added
/// again at the end of its visit, both by rank-one updates. A bit takes O(D), a row O(D K^2).
class RegressionRows {
 public:
  explicit RegressionRows(const Regressions& given)
      : data_(given.completed()),
        variance_of_weight_(1 / given.prior().weight),
        first_(given.prior().has_bias ? 1 : 0),
        mean_(given.factor().mean()),
        covariance_(given.factor().covariances()) {}

  void enter(const Features& z, int i) {
    row_ = i;
    observed_ = {data_.omega.col(i).array(), data_.kappa.col(i).array()};
    list_held(z, i, on_, own_);
    predict();
    forget();
    log_density_ = observed_.log_density(center_, spread_);
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0, for features that other rows also have.
  double log_ratio(int k) const {
    const double sign = on_[k] ? -1 : 1;
    const int at = first_ + k;
    const auto mean = mean_.col(at), with = with_.col(at), own = covariance_.of(at, at);
    const double there = observed_.log_density(
        [&](Eigen::Index d) { return center_(d) + sign * mean(d); },
        [&](Eigen::Index d) { return spread_(d) + 2 * sign * with(d) + own(d); });
    return sign * (there - log_density_);
  }
  void flip(int k) {
    count(first_ + k, on_[k] ? -1 : 1);
    on_[k] = !on_[k];
    log_density_ = observed_.log_density(center_, spread_);
  }

  /// Draws the number of the row's singletons.
  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    spread_ -= double(own_.size()) * variance_of_weight_;
    const OwnRegressionDensity density{observed_, center_, spread_, variance_of_weight_};
    return draw_own_count(log_prior_ratio, density, rng);
  }

  /// Ends the visit: the row's singletons are replaced by this many new ones.
  void leave(Features& z, int own) {
    drop_own(z, own_, [this](int k) {
      drop_column(mean_, first_ + k);
      covariance_.drop(first_ + k);
    });
    for (int n = 0; n < own; ++n) {
      z.add_own(row_);
      append_column(mean_, Eigen::ArrayXd::Zero(mean_.rows()));
      covariance_.append();
      const int last = covariance_.size() - 1;
      covariance_.of(last, last) = variance_of_weight_;
    }
    list_held(z, row_, on_, own_);
    predict();
    learn();
  }

 private:
  /// Mean and variance of the row's observations, and their covariance with every weight.
  void predict() {
    center_.setZero(mean_.rows());
    spread_.setZero(mean_.rows());
    with_.setZero(mean_.rows(), mean_.cols());
    if (first_ > 0) count(0, 1);
    for (std::size_t k = 0; k < on_.size(); ++k)
      if (on_[k]) count(first_ + static_cast<int>(k), 1);
  }
  /// Adds a bias or weight to the mean, variance and covariances (sign 1), or removes it (sign -1).
  void count(int at, double sign) {
    center_ += sign * mean_.col(at);
    spread_ += 2 * sign * with_.col(at) + covariance_.of(at, at);
    with_.leftCols(at + 1) += sign * covariance_.up_to(at);
    for (int l = at + 1; l < with_.cols(); ++l) with_.col(l) += sign * covariance_.of(at, l);
  }

  void forget() {
    const Eigen::ArrayXd left = (1 - observed_.omega * spread_).inverse();
    update(left * (observed_.omega * center_ - observed_.kappa), left * observed_.omega);
    with_.colwise() *= left;
    center_ += left * (observed_.omega * center_ - observed_.kappa) * spread_;
    spread_ *= left;
  }
  void learn() {
    const Eigen::ArrayXd left = (1 + observed_.omega * spread_).inverse();
    update(left * (observed_.kappa - observed_.omega * center_), -left * observed_.omega);
  }
  /// Updates by multiples of the covariances with the observations of the row.
  void update(const Eigen::ArrayXd& of_mean, const Eigen::ArrayXd& of_covariance) {
    for (int k = 0; k < with_.cols(); ++k) {
      mean_.col(k) += of_mean * with_.col(k);
      by_ = of_covariance * with_.col(k);
      covariance_.up_to(k) += with_.leftCols(k + 1).colwise() * by_;
    }
  }

  const RegressionData& data_;
  double variance_of_weight_;  ///< a priori
  int first_;                  ///< index of the first weight
  Eigen::ArrayXXd mean_;       ///< D x size
  PairArrays covariance_;
  int row_ = 0;
  RegressionObservation observed_;
  std::vector<char> on_;
  std::vector<int> own_;
  Eigen::ArrayXd center_, spread_, by_;
  Eigen::ArrayXXd with_;
  double log_density_ = 0;
};

}  // namespace buffet
