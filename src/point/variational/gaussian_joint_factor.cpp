#include "gaussian_joint_factor.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/resize.h"

namespace buffet {

template <class Loading>
GaussianJointFactor<Loading>::GaussianJointFactor(const Masks& masks, int columns,
                                                  const Precisions& precisions)
    : LoadingsFactor(masks, columns, precisions) {
  for (auto* m : {&site_precision_, &site_shift_}) m->resize(columns, 0);
  covariances_.assign(nonnegative ? columns : masks.groups().size(), Eigen::MatrixXd(0, 0));
  group_of_.resize(columns);
  for (std::size_t g = 0; g < masks.groups().size(); ++g)
    for (int d : masks.groups()[g].columns) group_of_[d] = static_cast<int>(g);
}

template <class Loading>
void GaussianJointFactor<Loading>::append(const Eigen::VectorXd& sum,
                                          const Eigen::VectorXd& loading) {
  append_column(sums_, sum);
  append_column(mean_, loading);
  for (auto* m : {&site_precision_, &site_shift_})
    append_column(*m, Eigen::VectorXd::Zero(columns()));
  for (Eigen::MatrixXd& v : covariances_) append_both(v, 0);
}

template <class Loading>
Eigen::MatrixXd GaussianJointFactor<Loading>::moments() const {
  Eigen::MatrixXd sum = mean_.transpose() * mean_;
  for (int d = 0; d < columns(); ++d) sum += covariance(d);
  return sum;
}

template <class Loading>
Eigen::MatrixXd GaussianJointFactor<Loading>::moments(const std::vector<int>& columns) const {
  Eigen::MatrixXd mean(columns.size(), mean_.cols());
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(mean_.cols(), mean_.cols());
  for (std::size_t n = 0; n < columns.size(); ++n) {
    mean.row(n) = mean_.row(columns[n]);
    sum += covariance(columns[n]);
  }
  sum.noalias() += mean.transpose() * mean;
  return sum;
}

template <class Loading>
double GaussianJointFactor<Loading>::bound(double observed) const {
  return 0.5 * observed * (x_.mean_log() - std::log(2 * M_PI)) - 0.5 * x_.mean() * total_ +
         mean_.size() * (0.5 * (a_.mean_log() - std::log(2 * M_PI)) + Loading::log_folded) +
         log_integrals_ + x_.log_prior_and_entropy() + a_.log_prior_and_entropy();
}

template <class Loading>
void GaussianJointFactor<Loading>::update(const HeldCounts& held, double total, const Passes&,
                                          int threads) {
  total_ = total;
  std::vector<Eigen::MatrixXd> counts;
  for (std::size_t g = 0; g < masks_->groups().size(); ++g)
    counts.push_back(held.observed(static_cast<int>(g)));
  if (learns_precisions()) update_precisions(held.rows, residual_of(counts), moments().trace());
  update_loadings(counts, threads);
  residual_ = residual_of(counts);
}

template <class Loading>
double GaussianJointFactor<Loading>::residual_of(const std::vector<Eigen::MatrixXd>& counts) const {
  double sum = total_ - 2 * sums_.cwiseProduct(mean_).sum();
  for (std::size_t g = 0; g < counts.size(); ++g)
    sum += counts[g].cwiseProduct(moments(masks_->groups()[g].columns)).sum();
  return std::max(sum, 1e-12 * total_);
}

template <class Loading>
void GaussianJointFactor<Loading>::update_loadings(const std::vector<Eigen::MatrixXd>& counts,
                                                   int threads) {
  std::vector<double> log_integrals(counts.size());
  const int groups = static_cast<int>(counts.size());
  parallel_for(groups, nonnegative ? 1 : threads, [&](int g) {
    Eigen::MatrixXd q = x_.mean() * counts[g];
    q.diagonal().array() += a_.mean();
    const std::vector<int>& columns = masks_->groups()[g].columns;
    if constexpr (nonnegative)
      log_integrals[g] = propagate(q, columns, threads);
    else
      log_integrals[g] = solve(q, columns, covariances_[g]);
  });
  log_integrals_ = 0;
  for (double value : log_integrals) log_integrals_ += value;
}

template <class Loading>
double GaussianJointFactor<Loading>::solve(const Eigen::MatrixXd& q,
                                           const std::vector<int>& columns, Eigen::MatrixXd& v) {
  const Eigen::LLT<Eigen::MatrixXd> llt(q);
  v = llt.solve(Eigen::MatrixXd::Identity(q.rows(), q.cols()));
  const double half_log_det = llt.matrixLLT().diagonal().array().log().sum();
  double sum = columns.size() * (0.5 * q.rows() * std::log(2 * M_PI) - half_log_det);
  for (int d : columns) {
    const Eigen::VectorXd h = x_.mean() * sums_.row(d).transpose(), mean = v * h;
    mean_.row(d) = mean.transpose();
    sum += 0.5 * h.dot(mean);
  }
  return sum;
}

template <class Loading>
double GaussianJointFactor<Loading>::propagate(const Eigen::MatrixXd& q,
                                               const std::vector<int>& columns, int threads) {
  std::vector<double> log_integrals(columns.size());
  parallel_for(static_cast<int>(columns.size()), threads, [&](int n) {
    const int d = columns[n];
    const Eigen::VectorXd h = x_.mean() * sums_.row(d).transpose();
    OrthantNormal::Sites sites{site_precision_.row(d), site_shift_.row(d)};
    OrthantNormal a(q, h);
    a.solve(sites, 50, 1e-6);
    site_precision_.row(d) = sites.precision;
    site_shift_.row(d) = sites.shift;
    mean_.row(d) = a.mean().transpose();
    covariances_[d] = a.covariance();
    log_integrals[n] = a.log_integral();
  });
  double sum = 0;
  for (double value : log_integrals) sum += value;
  return sum;
}

template class GaussianJointFactor<NonnegativeNormal>;
template class GaussianJointFactor<UntruncatedNormal>;

void OrthantNormal::solve(Sites& sites, int passes, double tol) {
  for (int n = 0; n < passes; ++n) {
    recompute(sites);
    double change = 0;
    for (int k = 0; k < h_.size(); ++k) change = std::max(change, visit(k, sites));
    if (change < tol) break;
  }
  recompute(sites);
  for (int k = 0; k < h_.size(); ++k) log_integral_ += log_site(k, sites);
}

void OrthantNormal::recompute(const Sites& sites) {
  Eigen::MatrixXd q = q_;
  q.diagonal() += sites.precision;
  const Eigen::LLT<Eigen::MatrixXd> llt(q);
  v_ = llt.solve(Eigen::MatrixXd::Identity(q.rows(), q.cols()));
  const Eigen::VectorXd h = h_ + sites.shift;
  mean_ = v_ * h;
  log_integral_ = 0.5 * (h.dot(mean_) + h.size() * std::log(2 * M_PI)) -
                  llt.matrixLLT().diagonal().array().log().sum();
}

OrthantNormal::Cavity OrthantNormal::cavity(int k, const Sites& sites) const {
  const double variance = 1 / (1 / v_(k, k) - sites.precision(k));
  return {variance * (mean_(k) / v_(k, k) - sites.shift(k)), variance};
}

double OrthantNormal::visit(int k, Sites& sites) {
  const Cavity without = cavity(k, sites);
  if (!(without.variance > 0)) return 0;  // beyond the precision of doubles
  const NonnegativeNormal with(without.mean, std::sqrt(without.variance));
  const double precision = std::max(0.0, 1 / with.variance() - 1 / without.variance);
  const double shift =
      with.mean() * (precision + 1 / without.variance) - without.mean / without.variance;
  const double by = precision - sites.precision(k), shift_by = shift - sites.shift(k);
  const double change = std::abs(with.mean() - mean_(k)) / std::sqrt(with.variance());
  column_ = v_.col(k);
  const double scale = 1 / (1 + by * column_(k));
  mean_ += ((shift_by - by * mean_(k)) * scale) * column_;
  v_.noalias() -= (by * scale * column_) * column_.transpose();
  sites.precision(k) = precision;
  sites.shift(k) = shift;
  return change;
}

double OrthantNormal::log_site(int k, const Sites& sites) const {
  const Cavity c = cavity(k, sites);
  const double precision = sites.precision(k), both = 1 / c.variance + precision;
  const double shift = c.mean / c.variance + sites.shift(k);
  return log_normal_cdf(c.mean / std::sqrt(c.variance)) +
         0.5 * (std::log1p(precision * c.variance) - shift * shift / both +
                c.mean * c.mean / c.variance);
}

}  // namespace buffet
