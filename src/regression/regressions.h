#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/log_sum.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "regression_statistics.h"

namespace buffet {

/// The Cholesky factors L of Lambda_j + diag(precisions) for all D regressions at once. A log ratio
/// of evidences takes O(D K^2), a new factor O(D K^3).
class RegressionFactor {
 public:
  RegressionFactor(const RegressionStatistics& s, const RegressionPrior& prior)
      : size_(s.size()), weight_(prior.weight), l_(s.width(), s.size() * (s.size() + 1) / 2) {
    half_.resize(l_.rows(), size_);
    for (int r = 0; r < size_; ++r) {
      for (int c = 0; c <= r; ++c) {
        auto entry = l(r, c);
        entry = s.lambda(r, c);
        if (r == c) entry += precision(r, prior);
        for (int m = 0; m < c; ++m) entry -= l(r, m) * l(c, m);
        if (c < r)
          entry /= l(c, c);
        else
          entry = entry.sqrt();
      }
      half_.col(r) = s.h(r);
      for (int m = 0; m < r; ++m) half_.col(r) -= l(r, m) * half_.col(m);
      half_.col(r) /= l(r, r);
      log_evidence_ += 0.5 * double(l_.rows()) * std::log(precision(r, prior)) -
                       sum_of_logs(l(r, r)) + 0.5 * half_.col(r).square().sum();
    }
  }

  /// Log density of the data with the weights integrated out, up to terms that do not depend on Z.
  double log_evidence() const { return log_evidence_; }

  /// Posterior mean of bias and weights, D x size.
  Eigen::ArrayXXd mean() const { return solve(half_); }
  Eigen::ArrayXXd draw(Rng& rng) const {
    return solve(half_ + normal_matrix(half_.rows(), size_, 1, rng).array());
  }

  /// Log posterior density of bias and weights, D x size, up to a constant.
  Eigen::ArrayXd log_density(const Eigen::ArrayXXd& all) const {
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(all.rows());
    for (int r = 0; r < size_; ++r) {
      Eigen::ArrayXd off = -half_.col(r);
      for (int m = r; m < size_; ++m) off += l(m, r) * all.col(m);
      sum += l(r, r).log() - 0.5 * off.square();
    }
    return sum;
  }

  /// Posterior covariances of bias and weights.
  PairArrays covariances() const {
    PairArrays all(static_cast<int>(l_.rows()), size_);
    std::vector<Eigen::ArrayXXd> halves;
    for (int k = 0; k < size_; ++k) {
      halves.push_back(half_of(k));
      for (int l = 0; l <= k; ++l) all.of(k, l) = products(halves[k], halves[l], k);
    }
    return all;
  }

  /// Log ratio of evidences when a feature is dropped.
  double log_ratio_dropped(int at) const { return log_ratio_dropped(left_out(at)); }
  /// Log ratio of evidences when a feature is added.
  double log_ratio_added(const RegressionRow& row) const {
    const Eigen::ArrayXXd u = half_solve(row.with);
    return log_gain(row.self - products(u, u), row.h - products(u, half_));
  }
  /// Log ratio of evidences when a feature is replaced.
  double log_ratio_replaced(int at, const RegressionRow& row) const {
    const LeftOut gone = left_out(at);
    const Eigen::ArrayXXd u = half_solve(row.with);
    const Eigen::ArrayXd common = products(u, gone.half), slope = common / gone.variance;
    return log_ratio_dropped(gone) + log_gain(row.self - products(u, u) + slope * common,
                                              row.h - products(u, half_) + slope * gone.mean);
  }

 private:
  static double precision(int r, const RegressionPrior& prior) {
    return r == 0 && prior.has_bias ? prior.bias : prior.weight;
  }
  Eigen::ArrayXXd::ColXpr l(int r, int c) { return l_.col(r * (r + 1) / 2 + c); }
  Eigen::ArrayXXd::ConstColXpr l(int r, int c) const { return l_.col(r * (r + 1) / 2 + c); }

  /// A feature's weight given the data: L^-1 of its unit vector, its variance and its mean.
  struct LeftOut {
    Eigen::ArrayXXd half;
    Eigen::ArrayXd variance, mean;
  };
  LeftOut left_out(int at) const {
    Eigen::ArrayXXd half = half_of(at);
    Eigen::ArrayXd variance = products(half, half, at), mean = products(half, half_, at);
    return {std::move(half), std::move(variance), std::move(mean)};
  }
  double log_ratio_dropped(const LeftOut& gone) const {
    return -0.5 * (double(l_.rows()) * std::log(weight_) + sum_of_logs(gone.variance) +
                   (gone.mean.square() / gone.variance).sum());
  }
  /// Gain from a feature with this h, if the data give its weight this precision conditional on the
  /// other features.
  double log_gain(const Eigen::ArrayXd& precision, const Eigen::ArrayXd& h) const {
    const Eigen::ArrayXd all = precision + weight_;
    return 0.5 *
           (double(h.size()) * std::log(weight_) - sum_of_logs(all) + (h.square() / all).sum());
  }
  /// Inner products of two vectors for each regression, from an index on.
  static Eigen::ArrayXd products(const Eigen::ArrayXXd& a, const Eigen::ArrayXXd& b,
                                 int first = 0) {
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(a.rows());
    for (int r = first; r < a.cols(); ++r) sum += a.col(r) * b.col(r);
    return sum;
  }

  /// L^-1 of the unit vector of a weight.
  Eigen::ArrayXXd half_of(int at) const {
    Eigen::ArrayXXd unit = Eigen::ArrayXXd::Zero(l_.rows(), size_);
    unit.col(at) = 1;
    return half_solve(std::move(unit), at);
  }
  /// L^-1 x, where the first entries of x are 0.
  Eigen::ArrayXXd half_solve(Eigen::ArrayXXd x, int first = 0) const {
    for (int r = first; r < size_; ++r) {
      for (int m = first; m < r; ++m) x.col(r) -= l(r, m) * x.col(m);
      x.col(r) /= l(r, r);
    }
    return x;
  }
  /// L'^-1 x.
  Eigen::ArrayXXd solve(Eigen::ArrayXXd x) const {
    for (int r = size_ - 1; r >= 0; --r) {
      x.col(r) /= l(r, r);
      for (int m = 0; m < r; ++m) x.col(m) -= l(r, m) * x.col(r);
    }
    return x;
  }

  int size_;
  double weight_;  ///< its prior precision
  Eigen::ArrayXXd l_, half_;
  double log_evidence_ = 0;
};

/// The regressions in the form that moves of whole features use: a likelihood with the weights
/// integrated out.
class Regressions {
 public:
  Regressions(const Features& z, const RegressionData& data, RegressionPrior prior)
      : data_(&data),
        prior_(prior),
        statistics_(z, data, prior.has_bias),
        factor_(statistics_, prior) {}

  const RegressionData& completed() const { return *data_; }
  const RegressionPrior& prior() const { return prior_; }
  const RegressionStatistics& statistics() const { return statistics_; }
  void accept(RegressionStatistics statistics) {
    statistics_ = std::move(statistics);
    factor_ = RegressionFactor(statistics_, prior_);
  }

  double log_lik(const RegressionStatistics& s) const {
    return RegressionFactor(s, prior_).log_evidence();
  }
  double current_log_lik() const { return factor_.log_evidence(); }

  /// Log ratio of likelihoods when another column replaces column k.
  double log_ratio_replaced(int k, const Bits& column, const Features& z) const {
    return factor_.log_ratio_replaced(first() + k, statistics_.row_replacing(k, column, z, *data_));
  }
  /// Log ratio of likelihoods when a column is added to z, and when column k is dropped.
  double log_ratio_added(const Bits& column, const Features& z) const {
    return factor_.log_ratio_added(statistics_.row_of(column, z, *data_));
  }
  double log_ratio_dropped(int k) const { return factor_.log_ratio_dropped(first() + k); }

  const RegressionFactor& factor() const { return factor_; }

 private:
  int first() const { return prior_.has_bias ? 1 : 0; }

  const RegressionData* data_;
  RegressionPrior prior_;
  RegressionStatistics statistics_;
  RegressionFactor factor_;
};

inline double current_log_lik(const Regressions& likelihood) {
  return likelihood.current_log_lik();
}

}  // namespace buffet
