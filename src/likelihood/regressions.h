#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"
#include "../core/sum_of_logs.h"
#include "normal_vector.h"

namespace buffet {

/// What D normal regressions on Z know of their data, one observation a column: each entry's
/// precision omega, and kappa = omega times its value; both 0 where it is missing.
struct RegressionData {
  Eigen::MatrixXd omega, kappa;  ///< D x N
  int width() const { return static_cast<int>(omega.rows()); }
};

/// Prior precisions of what is regressed on: of the weights, and of the bias if there is one.
struct RegressionPrior {
  double weight, bias = 0;
  bool has_bias = false;
};

/// Lambda_j = Z' diag(omega_j) Z and h_j = Z' kappa_j of all D regressions at once: an array of D
/// numbers for every pair of features, k >= l at k (k + 1) / 2 + l. The bias is a feature that
/// every row has, before the others.
class RegressionStatistics {
 public:
  RegressionStatistics(const Features& z, const RegressionData& data, bool bias)
      : first_(bias ? 1 : 0) {
    h_.setZero(data.width(), first_ + z.size());
    lambda_.setZero(data.width(), pairs(first_ + z.size()));
    std::vector<int> on;
    for (int i = 0; i < z.rows(); ++i) {
      held(z, i, on);
      for (int k : on) {
        h_.col(k) += data.kappa.col(i).array();
        for (int l : on)
          if (l <= k) lambda_.col(pair(k, l)) += data.omega.col(i).array();
      }
    }
  }

  int size() const { return static_cast<int>(h_.cols()); }
  int width() const { return static_cast<int>(h_.rows()); }
  auto lambda(int k, int l) const { return lambda_.col(pair(k, l)); }
  auto h(int k) const { return h_.col(k); }

  /// Recomputes all that depends on column k of z.
  void set_column(int k, const Features& z, const RegressionData& data) {
    const int at = first_ + k;
    h_.col(at).setZero();
    for (int l = 0; l < size(); ++l) lambda_.col(pair(at, l)).setZero();
    std::vector<int> on;
    z.column(k).for_each([&](int i) {
      held(z, i, on);
      h_.col(at) += data.kappa.col(i).array();
      for (int l : on) lambda_.col(pair(at, l)) += data.omega.col(i).array();
    });
  }
  /// The same where another column takes the place of column k of z, from the rows that differ: all
  /// but those where it is rather the complement, if there is a bias.
  void replace_column(int k, const Bits& column, const Features& z, const RegressionData& data) {
    const int at = first_ + k;
    Bits changed = z.column(k);
    changed ^= column;
    if (first_ > 0 && 2 * changed.count() > z.rows()) {
      changed = complement(changed, z.rows());
      for (int l = 0; l < size(); ++l)
        lambda_.col(pair(at, l)) = lambda_.col(pair(0, l == at ? 0 : l)) - lambda_.col(pair(at, l));
      h_.col(at) = h_.col(0) - h_.col(at);
    }
    std::vector<int> on;
    changed.for_each([&](int i) {
      const double by = column.at(i) ? 1 : -1;
      held(z, i, on);
      h_.col(at) += by * data.kappa.col(i).array();
      for (int l : on)
        if (l != at) lambda_.col(pair(at, l)) += by * data.omega.col(i).array();
      lambda_.col(pair(at, at)) += by * data.omega.col(i).array();
    });
  }
  /// Follows Features::add for a new last column.
  void add_column(const Features& z, const RegressionData& data) {
    const int after = size() + 1;
    h_.conservativeResize(Eigen::NoChange, after);
    lambda_.conservativeResize(Eigen::NoChange, pairs(after));
    set_column(z.size() - 1, z, data);
  }
  void drop(int k) {
    const int at = first_ + k, last = size() - 1;
    if (at != last) {
      h_.col(at) = h_.col(last);
      for (int l = 0; l < last; ++l)
        if (l != at) lambda_.col(pair(at, l)) = lambda_.col(pair(last, l));
      lambda_.col(pair(at, at)) = lambda_.col(pair(last, last));
    }
    h_.conservativeResize(Eigen::NoChange, last);
    lambda_.conservativeResize(Eigen::NoChange, pairs(last));
  }

 private:
  static int pair(int k, int l) { return k >= l ? k * (k + 1) / 2 + l : pair(l, k); }
  static int pairs(int size) { return size * (size + 1) / 2; }

  /// What row i has.
  void held(const Features& z, int i, std::vector<int>& on) const {
    on.clear();
    if (first_ > 0) on.push_back(0);
    for (int k = 0; k < z.size(); ++k)
      if (z.at(i, k)) on.push_back(first_ + k);
  }

  int first_;
  Eigen::ArrayXXd h_, lambda_;
};

/// The Cholesky factors L of Lambda_j + diag(precisions) of all D regressions at once.
class RegressionFactor {
 public:
  RegressionFactor(const RegressionStatistics& s, const RegressionPrior& prior)
      : size_(s.size()), l_(s.width(), s.size() * (s.size() + 1) / 2) {
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

  /// Log density of the data with the weights integrated out, but for what does not depend on Z.
  double log_evidence() const { return log_evidence_; }

  /// Posterior mean of bias and weights, D x size.
  Eigen::ArrayXXd mean() const { return solve(half_); }
  Eigen::ArrayXXd draw(Rng& rng) const {
    return solve(half_ + normal_matrix(half_.rows(), size_, 1, rng).array());
  }

 private:
  static double precision(int r, const RegressionPrior& prior) {
    return r == 0 && prior.has_bias ? prior.bias : prior.weight;
  }
  Eigen::ArrayXXd::ColXpr l(int r, int c) { return l_.col(r * (r + 1) / 2 + c); }
  Eigen::ArrayXXd::ConstColXpr l(int r, int c) const { return l_.col(r * (r + 1) / 2 + c); }

  /// L'^-1 x.
  Eigen::ArrayXXd solve(Eigen::ArrayXXd x) const {
    for (int r = size_ - 1; r >= 0; --r) {
      x.col(r) /= l(r, r);
      for (int m = 0; m < r; ++m) x.col(m) -= l(r, m) * x.col(r);
    }
    return x;
  }

  int size_;
  Eigen::ArrayXXd l_, half_;
  double log_evidence_ = 0;
};

/// The regressions as the moves of whole features see them: a likelihood whose weights are
/// integrated out.
class Regressions {
 public:
  Regressions(const Features& z, const RegressionData& data, RegressionPrior prior)
      : data_(&data), prior_(prior), statistics_(z, data, prior.has_bias) {
    log_lik_ = log_lik(statistics_);
  }

  const RegressionData& completed() const { return *data_; }
  const RegressionPrior& prior() const { return prior_; }
  const RegressionStatistics& statistics() const { return statistics_; }
  void accept(RegressionStatistics statistics) {
    statistics_ = std::move(statistics);
    log_lik_ = log_lik(statistics_);
  }

  double log_lik(const RegressionStatistics& s) const {
    return RegressionFactor(s, prior_).log_evidence();
  }
  double current_log_lik() const { return log_lik_; }

  /// Log ratio of the likelihood when another column takes the place of k.
  double log_ratio_replaced(int k, const Bits& column, const Features& z) const {
    RegressionStatistics s = statistics_;
    s.replace_column(k, column, z, *data_);
    return log_lik(s) - log_lik_;
  }

  RegressionFactor factor() const { return RegressionFactor(statistics_, prior_); }

 private:
  const RegressionData* data_;
  RegressionPrior prior_;
  RegressionStatistics statistics_;
  double log_lik_;
};

}  // namespace buffet
