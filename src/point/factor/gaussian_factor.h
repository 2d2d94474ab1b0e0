#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/features.h"
#include "core/parallel.h"
#include "core/resize.h"
#include "core/truncated_normal.h"
#include "gamma_factor.h"
#include "likelihood/gaussian_masks.h"
#include "likelihood/gaussian_scales.h"
#include "likelihood/gaussian_statistics.h"

namespace buffet {

/// When the passes over q(A) end: after so many, or when the bound can gain no more than a share of
/// what the first pass gained, or than an absolute value.
struct Passes {
  int most = 20;
  double share = 0.05, enough = 0.01;
};

/// q(A) = prod of Loading(a_kd; location_kd, scale_kd^2), the variational factor of loadings that
/// are normal or nonnegative, and those of the precisions: Reed & Ghahramani (2013) sections 3 and
/// S.3. Z is a point (Features) or has a factor of its own (SoftFeatures).
template <class Loading>
class GaussianFactor {
 public:
  static constexpr bool nonnegative = std::is_same_v<Loading, NonnegativeNormal>;

  explicit GaussianFactor(const Masks& masks, int columns, Precisions precisions)
      : masks_(&masks), x_(precisions.x), a_(precisions.a) {
    for (auto* m : {&sums_, &mean_, &variance_, &location_, &scale_}) m->resize(columns, 0);
    for (auto* v : {&second_, &entropy_}) v->resize(0);
  }

  int columns() const { return static_cast<int>(sums_.rows()); }
  const Eigen::MatrixXd& mean() const { return mean_; }          ///< E[A]', D x K
  const Eigen::MatrixXd& variance() const { return variance_; }  ///< D x K
  const Eigen::MatrixXd& location() const { return location_; }
  const Eigen::MatrixXd& scale() const { return scale_; }
  double entropy(int k) const { return entropy_(k); }
  /// E |a_k|^2.
  double second_moment(int k) const { return second_(k); }
  /// E |X - Z A|^2 over the observed entries.
  double residual() const { return residual_; }
  const GammaFactor& tau_x() const { return x_; }
  const GammaFactor& tau_a() const { return a_; }
  void start_precisions(double x, double a) {
    x_.start(x);
    a_.start(a);
  }
  /// Holds the expected precision of the noise below a limit, or ends that: infinity.
  void limit_precision(double most) { x_.limit(most); }

  /// X Z, D x K; kept up to date by whoever changes Z.
  Eigen::MatrixXd& sums() { return sums_; }
  const Eigen::MatrixXd& sums() const { return sums_; }

  /// Follow Features::add and Features::drop; loadings are known up to the next update().
  void append(const Eigen::VectorXd& sum, const Eigen::VectorXd& loading) {
    append_column(sums_, sum);
    append_column(mean_, loading);
    for (auto* m : {&variance_, &location_, &scale_})
      append_column(*m, Eigen::VectorXd::Zero(columns()));
    for (auto* v : {&second_, &entropy_}) append_entry(*v, 0);
  }
  void drop(int k) {
    for (auto* m : {&sums_, &mean_, &variance_, &location_, &scale_}) drop_column(*m, k);
    for (auto* v : {&second_, &entropy_}) drop_entry(*v, k);
  }

  /// Features in another order.
  void reorder(const Eigen::PermutationMatrix<Eigen::Dynamic>& order) {
    for (auto* m : {&sums_, &mean_, &variance_, &location_, &scale_}) *m = *m * order;
    for (auto* v : {&second_, &entropy_}) *v = order.transpose() * *v;
  }

  /// Loadings found elsewhere; no row holds a feature yet.
  void adopt(const Eigen::MatrixXd& mean, const Eigen::MatrixXd& variance) {
    mean_ = mean;
    variance_ = variance;
    for (auto* m : {&sums_, &location_, &scale_}) m->setZero(mean.rows(), mean.cols());
    for (auto* v : {&second_, &entropy_}) v->setZero(mean.cols());
  }

  /// What feature k adds to the bound by its loadings alone (eta_k of eq. 12 without log alpha).
  double log_own(int k) const {
    return columns() * (0.5 * (a_.mean_log() - std::log(2 * M_PI)) + Loading::log_folded) -
           0.5 * a_.mean() * second_(k) + entropy_(k);
  }

  /// Sum of E[a a'] over all columns of the data, and over some of them, K x K.
  Eigen::MatrixXd moments() const {
    Eigen::MatrixXd sum = mean_.transpose() * mean_;
    sum.diagonal() += variance_.colwise().sum();
    return sum;
  }
  Eigen::MatrixXd moments(const std::vector<int>& columns) const {
    Eigen::MatrixXd mean(columns.size(), mean_.cols());
    Eigen::VectorXd variance = Eigen::VectorXd::Zero(mean_.cols());
    for (std::size_t n = 0; n < columns.size(); ++n) {
      mean.row(n) = mean_.row(columns[n]);
      variance += variance_.row(columns[n]);
    }
    Eigen::MatrixXd sum = mean.transpose() * mean;
    sum.diagonal() += variance;
    return sum;
  }

  /// The bound without the prior of Z, which the data with their sum of squares `total` and
  /// `observed` entries give.
  double bound(double observed) const {
    double sum = 0.5 * observed * (x_.mean_log() - std::log(2 * M_PI)) -
                 0.5 * x_.mean() * residual_ + x_.log_prior_and_entropy() +
                 a_.log_prior_and_entropy();
    for (int k = 0; k < second_.size(); ++k) sum += log_own(k);
    return sum;
  }

  /// Passes over q(A), eqs. 13-17, then the precisions that are learned, eqs. 39-43.
  template <class Z>
  void update(const Z& z, double total, const Passes& passes, int threads) {
    update_loadings(z, total, passes, threads);
    const double cells = double(z.rows()) * columns() - masks_->count_hidden();
    if (x_.learned()) x_.update(0.5 * cells, 0.5 * residual_);
    if (a_.learned()) a_.update(0.5 * double(mean_.size()), 0.5 * second_.sum());
  }

  template <class Archive>
  void archive(Archive& a) {
    for (auto* m : {&sums_, &mean_, &variance_, &location_, &scale_}) a(*m);
    for (auto* v : {&second_, &entropy_}) a(*v);
    a(residual_);
    a(x_);
    a(a_);
  }

 private:
  static constexpr int chunk = 128;

  /// Some columns of the data that lack the same rows: given Z their loadings do not depend on
  /// those of others.
  struct Task {
    const Masks::Columns* group;
    int from, count;

    int column(int n) const { return group->columns[from + n]; }
  };
  struct Totals {
    double fit = 0, spread = 0;  ///< sum of S o E, and sum over d of E[a' C a]
    Eigen::VectorXd second, entropy;
  };

  std::vector<Task> tasks() const {
    std::vector<Task> tasks;
    for (const auto& group : masks_->groups()) {
      const int size = static_cast<int>(group.columns.size());
      for (int from = 0; from < size; from += chunk)
        tasks.push_back({&group, from, std::min(chunk, size - from)});
    }
    return tasks;
  }

  template <class Z>
  void update_loadings(const Z& z, double total, const Passes& passes, int threads) {
    const std::vector<Task> all = tasks();
    std::vector<Totals> totals(all.size());
    const Eigen::MatrixXd shared = shared_counts(z);
    parallel_for(static_cast<int>(all.size()), threads, [&](int t) {
      const bool complete = masks_->patterns() == 1 && masks_->hidden(0).empty();
      const Eigen::MatrixXd c = complete ? shared : shared - hidden_counts(z, all[t].group->hidden);
      totals[t] = update_task(all[t], c, passes);
    });
    residual_ = total;
    second_.setZero();
    entropy_.setZero();
    for (const Totals& t : totals) {
      residual_ += t.spread - 2 * t.fit;
      second_ += t.second;
      entropy_ += t.entropy;
    }
    // Less than that is rounding: a few entries are as large as all the others together.
    residual_ = std::max(residual_, 1e-12 * total);
  }

  Totals update_task(const Task& task, const Eigen::MatrixXd& c, const Passes& passes) {
    const int size = static_cast<int>(c.rows());
    Eigen::MatrixXd sums(task.count, size), mean(task.count, size);
    for (int n = 0; n < task.count; ++n) {
      sums.row(n) = sums_.row(task.column(n));
      mean.row(n) = mean_.row(task.column(n));
    }
    const double enough = passes.enough * task.count / columns();
    double first = 0;
    for (int n = 0; n < passes.most; ++n) {
      const double change = pass(task, c, sums, mean);
      if (n == 0) first = change;
      if (change < std::max(passes.share * first, enough)) break;
    }
    return summarise(task, c, sums, mean);
  }

  /// One pass over the features; about what it adds to the bound.
  double pass(const Task& task, const Eigen::MatrixXd& c, const Eigen::MatrixXd& sums,
              Eigen::MatrixXd& mean) {
    const double tau_x = x_.mean(), tau_a = a_.mean();
    double change = 0;
    Eigen::VectorXd left;
    for (int k = 0; k < c.rows(); ++k) {
      const double precision = c(k, k) * tau_x + tau_a, weight = tau_x / precision;
      const double scale = 1 / std::sqrt(precision);
      left.noalias() = sums.col(k) - mean * c.col(k) + c(k, k) * mean.col(k);
      double moved = 0;
      for (int n = 0; n < task.count; ++n) {
        const int d = task.column(n);
        const double location = weight * left(n);
        const Loading q(location, scale);
        location_(d, k) = location;
        variance_(d, k) = q.variance();
        const double gap = q.mean() - mean(n, k);
        moved += gap * gap;
        mean(n, k) = q.mean();
      }
      change += 0.5 * precision * moved;
      for (int n = 0; n < task.count; ++n) scale_(task.column(n), k) = scale;
    }
    return change;
  }

  Totals summarise(const Task& task, const Eigen::MatrixXd& c, const Eigen::MatrixXd& sums,
                   const Eigen::MatrixXd& mean) {
    const int size = static_cast<int>(c.rows());
    Totals t;
    t.second.setZero(size);
    t.entropy.setZero(size);
    t.fit = sums.cwiseProduct(mean).sum();
    t.spread = (mean * c).cwiseProduct(mean).sum();
    for (int k = 0; k < size; ++k) {
      for (int n = 0; n < task.count; ++n) {
        const int d = task.column(n);
        mean_(d, k) = mean(n, k);
        t.spread += c(k, k) * variance_(d, k);
        t.second(k) += mean(n, k) * mean(n, k) + variance_(d, k);
        t.entropy(k) += Loading(location_(d, k), scale_(d, k)).entropy();
      }
    }
    return t;
  }

  const Masks* masks_;
  Eigen::MatrixXd sums_, mean_, variance_, location_, scale_;
  Eigen::VectorXd second_, entropy_;
  double residual_ = 0;
  GammaFactor x_, a_;
};

}  // namespace buffet
