#include "gaussian_factor.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/resize.h"
#include "core/special.h"
#include "gaussian_factor_predict.h"

namespace buffet {

double GammaFactor::mean_log() const {
  return learned() ? digamma(shape_) - std::log(rate_) : std::log(prior_.value);
}

double GammaFactor::log_prior_and_entropy() const {
  if (!learned()) return 0;
  const double a = prior_.shape, b = prior_.rate;
  return a * std::log(b) - log_gamma(a) + (a - 1) * mean_log() - b * mean() + shape_ -
         std::log(rate_) + log_gamma(shape_) + (1 - shape_) * digamma(shape_);
}

LoadingsFactor::LoadingsFactor(const Masks& masks, int columns, const Precisions& precisions)
    : masks_(&masks), sums_(columns, 0), mean_(columns, 0), x_(precisions.x), a_(precisions.a) {}

void LoadingsFactor::start_precisions(double x, double a) {
  x_.start(std::isnan(x) ? x_.mean() : x);
  a_.start(std::isnan(a) ? a_.mean() : a);
}

void LoadingsFactor::update_precisions(int rows, double residual, double second) {
  const double cells = double(rows) * columns() - masks_->count_hidden();
  if (x_.learned()) x_.update(0.5 * cells, 0.5 * residual);
  if (a_.learned()) a_.update(0.5 * double(mean_.size()), 0.5 * second);
}

template <class Loading>
GaussianFactor<Loading>::GaussianFactor(const Masks& masks, int columns,
                                        const Precisions& precisions)
    : LoadingsFactor(masks, columns, precisions) {
  for (auto* m : {&variance_, &location_, &scale_}) m->resize(columns, 0);
  for (auto* v : {&second_, &entropy_}) v->resize(0);
}

template <class Loading>
void GaussianFactor<Loading>::append(const Eigen::VectorXd& sum, const Eigen::VectorXd& loading) {
  append_column(sums_, sum);
  append_column(mean_, loading);
  for (auto* m : {&variance_, &location_, &scale_})
    append_column(*m, Eigen::VectorXd::Zero(columns()));
  for (auto* v : {&second_, &entropy_}) append_entry(*v, 0);
}

template <class Loading>
void GaussianFactor<Loading>::drop(int k) {
  for (auto* m : {&sums_, &mean_, &variance_, &location_, &scale_}) drop_column(*m, k);
  for (auto* v : {&second_, &entropy_}) drop_entry(*v, k);
}

template <class Loading>
void GaussianFactor<Loading>::reorder(const Eigen::PermutationMatrix<Eigen::Dynamic>& order) {
  for (auto* m : {&sums_, &mean_, &variance_, &location_, &scale_}) *m = *m * order;
  for (auto* v : {&second_, &entropy_}) *v = order.transpose() * *v;
}

template <class Loading>
void GaussianFactor<Loading>::adopt(const Eigen::MatrixXd& mean, const Eigen::MatrixXd& variance) {
  mean_ = mean;
  variance_ = variance;
  for (auto* m : {&sums_, &location_, &scale_}) m->setZero(mean.rows(), mean.cols());
  for (auto* v : {&second_, &entropy_}) v->setZero(mean.cols());
}

template <class Loading>
double GaussianFactor<Loading>::log_own(int k) const {
  return columns() * (0.5 * (a_.mean_log() - std::log(2 * M_PI)) + Loading::log_folded) -
         0.5 * a_.mean() * second_(k) + entropy_(k);
}

template <class Loading>
Eigen::MatrixXd GaussianFactor<Loading>::moments() const {
  Eigen::MatrixXd sum = mean_.transpose() * mean_;
  sum.diagonal() += variance_.colwise().sum();
  return sum;
}

template <class Loading>
Eigen::MatrixXd GaussianFactor<Loading>::moments(const std::vector<int>& columns) const {
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

template <class Loading>
double GaussianFactor<Loading>::bound(double observed) const {
  double sum = 0.5 * observed * (x_.mean_log() - std::log(2 * M_PI)) - 0.5 * x_.mean() * residual_ +
               x_.log_prior_and_entropy() + a_.log_prior_and_entropy();
  for (int k = 0; k < second_.size(); ++k) sum += log_own(k);
  return sum;
}

template <class Loading>
void GaussianFactor<Loading>::update(const HeldCounts& held, double total, const Passes& passes,
                                     int threads) {
  update_loadings(held, total, passes, threads);
  update_precisions(held.rows, residual_, second_.sum());
}

template <class Loading>
std::vector<typename GaussianFactor<Loading>::Task> GaussianFactor<Loading>::tasks() const {
  std::vector<Task> tasks;
  int number = 0;
  for (const auto& group : masks_->groups()) {
    const int size = static_cast<int>(group.columns.size());
    for (int from = 0; from < size; from += chunk)
      tasks.push_back({&group, number, from, std::min(chunk, size - from)});
    ++number;
  }
  return tasks;
}

template <class Loading>
void GaussianFactor<Loading>::update_loadings(const HeldCounts& held, double total,
                                              const Passes& passes, int threads) {
  const std::vector<Task> all = tasks();
  std::vector<Totals> totals(all.size());
  parallel_for(static_cast<int>(all.size()), threads, [&](int t) {
    totals[t] = update_task(all[t], held.observed(all[t].group), passes);
  });
  residual_ = total;
  second_.setZero();
  entropy_.setZero();
  for (const Totals& t : totals) {
    residual_ += t.spread - 2 * t.fit;
    second_ += t.second;
    entropy_ += t.entropy;
  }
  // A smaller value is rounding error, because a few entries are as large as all others together.
  residual_ = std::max(residual_, 1e-12 * total);
}

template <class Loading>
typename GaussianFactor<Loading>::Totals GaussianFactor<Loading>::update_task(
    const Task& task, const Eigen::MatrixXd& c, const Passes& passes) {
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

template <class Loading>
double GaussianFactor<Loading>::pass(const Task& task, const Eigen::MatrixXd& c,
                                     const Eigen::MatrixXd& sums, Eigen::MatrixXd& mean) {
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

template <class Loading>
typename GaussianFactor<Loading>::Totals GaussianFactor<Loading>::summarise(
    const Task& task, const Eigen::MatrixXd& c, const Eigen::MatrixXd& sums,
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

template class GaussianFactor<NonnegativeNormal>;
template class GaussianFactor<UntruncatedNormal>;

UntruncatedNormal NormalFit::loading(int d, int k) const {
  const double square = covariances.empty() ? variances(d, k) : covariances[covariance_of[d]](k, k);
  return {mean(d, k), std::sqrt(square)};
}

double log_density(const NonnegativeFit& fit, const std::vector<int>& features, int d,
                   Noisy noisy) {
  auto [x, variance] = noisy;
  double most = 0, mean_of_most = 0;
  int widest = -1;
  for (int k : features) {
    const NonnegativeNormal a = fit.loading(d, k);
    x -= a.mean();
    variance += a.variance();
    if (widest < 0 || a.variance() > most) {
      widest = k;
      most = a.variance();
      mean_of_most = a.mean();
    }
  }
  if (widest < 0) return -0.5 * (std::log(2 * M_PI * variance) + x * x / variance);
  x += mean_of_most;
  variance -= most;
  const double location = fit.location(d, widest), scale = fit.scale(d, widest);
  const double total = variance + scale * scale, gap = x - location;
  const double posterior_mean = (location * variance + x * scale * scale) / total;
  const double posterior_sd = std::sqrt(variance / total) * scale;
  return -0.5 * (std::log(2 * M_PI * total) + gap * gap / total) +
         log_normal_cdf(posterior_mean / posterior_sd) - log_normal_cdf(location / scale);
}

double log_density(const NormalFit& fit, const std::vector<int>& features, int d, Noisy noisy) {
  auto [x, variance] = noisy;
  for (int k : features) {
    x -= fit.mean(d, k);
    if (fit.covariances.empty()) {
      variance += fit.variances(d, k);
    } else {
      for (int l : features) variance += fit.covariances[fit.covariance_of[d]](k, l);
    }
  }
  return -0.5 * (std::log(2 * M_PI * variance) + x * x / variance);
}

}  // namespace buffet
