#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "core/resize.h"
#include "likelihood/gaussian_masks.h"
#include "likelihood/gaussian_scales.h"
#include "orthant.h"
#include "point/factor/gamma_factor.h"
#include "point/factor/gaussian_factor.h"

namespace buffet {

/// q(A) = prod over columns d of N(a_d; m_d, V_d), all features of a column jointly (Ding et al.
/// 2010): exact given the other factors where loadings are normal; by expectation propagation where
/// they are nonnegative. It is always at its best given the others, so that the bound has the
/// integral over the loadings in its place.
template <class Loading>
class GaussianJointFactor {
 public:
  static constexpr bool nonnegative = std::is_same_v<Loading, NonnegativeNormal>;

  GaussianJointFactor(const Masks& masks, int columns, Precisions precisions)
      : masks_(&masks), x_(precisions.x), a_(precisions.a) {
    for (auto* m : {&sums_, &mean_, &site_precision_, &site_shift_}) m->resize(columns, 0);
    covariances_.assign(nonnegative ? columns : masks.groups().size(), Eigen::MatrixXd(0, 0));
    group_of_.resize(columns);
    for (std::size_t g = 0; g < masks.groups().size(); ++g)
      for (int d : masks.groups()[g].columns) group_of_[d] = static_cast<int>(g);
  }

  int columns() const { return static_cast<int>(sums_.rows()); }
  const Eigen::MatrixXd& mean() const { return mean_; }  ///< E[A]', D x K
  /// V_d of a column.
  const Eigen::MatrixXd& covariance(int d) const { return covariances_[covariance_of(d)]; }
  /// All that differ, and which of them is that of a column.
  const std::vector<Eigen::MatrixXd>& covariances() const { return covariances_; }
  int covariance_of(int d) const { return nonnegative ? d : group_of_[d]; }

  double residual() const { return residual_; }  ///< E |X - Z A|^2 over the observed entries
  const GammaFactor& tau_x() const { return x_; }
  const GammaFactor& tau_a() const { return a_; }
  void start_precisions(double x, double a) {
    x_.start(x);
    a_.start(a);
  }
  void limit_precision(double most) { x_.limit(most); }

  /// X E[Z], D x K; kept up to date by whoever changes q(Z).
  Eigen::MatrixXd& sums() { return sums_; }

  /// A new last feature with a guess of its loadings.
  void append(const Eigen::VectorXd& sum, const Eigen::VectorXd& loading) {
    append_column(sums_, sum);
    append_column(mean_, loading);
    for (auto* m : {&site_precision_, &site_shift_})
      append_column(*m, Eigen::VectorXd::Zero(columns()));
    for (Eigen::MatrixXd& v : covariances_) append_both(v, 0);
  }

  /// Sum of E[a a'] over all columns of the data, and over some of them, K x K.
  Eigen::MatrixXd moments() const {
    Eigen::MatrixXd sum = mean_.transpose() * mean_;
    for (int d = 0; d < columns(); ++d) sum += covariance(d);
    return sum;
  }
  Eigen::MatrixXd moments(const std::vector<int>& columns) const {
    Eigen::MatrixXd mean(columns.size(), mean_.cols());
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(mean_.cols(), mean_.cols());
    for (std::size_t n = 0; n < columns.size(); ++n) {
      mean.row(n) = mean_.row(columns[n]);
      sum += covariance(columns[n]);
    }
    sum.noalias() += mean.transpose() * mean;
    return sum;
  }

  /// The bound without q(Z), or what expectation propagation has in its place.
  double bound(double observed) const {
    return 0.5 * observed * (x_.mean_log() - std::log(2 * M_PI)) - 0.5 * x_.mean() * total_ +
           mean_.size() * (0.5 * (a_.mean_log() - std::log(2 * M_PI)) + Loading::log_folded) +
           log_integrals_ + x_.log_prior_and_entropy() + a_.log_prior_and_entropy();
  }

  /// The precisions that are learned, given the loadings as they are, then the loadings.
  template <class Z>
  void update(const Z& z, double total, const Passes&, int threads) {
    total_ = total;
    std::vector<Eigen::MatrixXd> counts;
    const Eigen::MatrixXd shared = shared_counts(z);
    for (const auto& group : masks_->groups())
      counts.push_back(shared - hidden_counts(z, group.hidden));
    if (x_.learned() || a_.learned()) update_precisions(z, counts);
    update_loadings(counts, threads);
    residual_ = residual(counts);
  }

  template <class Archive>
  void archive(Archive& a) {
    for (auto* m : {&sums_, &mean_, &site_precision_, &site_shift_}) a(*m);
    for (Eigen::MatrixXd& v : covariances_) a(v);
    for (double* v : {&residual_, &total_, &log_integrals_}) a(*v);
    a(x_);
    a(a_);
  }

 private:
  template <class Z>
  void update_precisions(const Z& z, const std::vector<Eigen::MatrixXd>& counts) {
    const double cells = double(z.rows()) * columns() - masks_->count_hidden();
    if (x_.learned()) x_.update(0.5 * cells, 0.5 * residual(counts));
    if (a_.learned()) a_.update(0.5 * double(mean_.size()), 0.5 * moments().trace());
  }

  double residual(const std::vector<Eigen::MatrixXd>& counts) const {
    double sum = total_ - 2 * sums_.cwiseProduct(mean_).sum();
    for (std::size_t g = 0; g < counts.size(); ++g)
      sum += counts[g].cwiseProduct(moments(masks_->groups()[g].columns)).sum();
    return std::max(sum, 1e-12 * total_);
  }

  void update_loadings(const std::vector<Eigen::MatrixXd>& counts, int threads) {
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

  /// Normal loadings of columns with the precision Q; sum of the log integrals.
  double solve(const Eigen::MatrixXd& q, const std::vector<int>& columns, Eigen::MatrixXd& v) {
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

  /// The same of nonnegative ones.
  double propagate(const Eigen::MatrixXd& q, const std::vector<int>& columns, int threads) {
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

  const Masks* masks_;
  std::vector<int> group_of_;
  Eigen::MatrixXd sums_, mean_, site_precision_, site_shift_;
  std::vector<Eigen::MatrixXd> covariances_;
  double residual_ = 0, total_ = 0, log_integrals_ = 0;
  GammaFactor x_, a_;
};

}  // namespace buffet
