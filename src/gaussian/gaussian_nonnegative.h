#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <vector>

#include "core/archive.h"
#include "core/normal_vector.h"
#include "core/truncated_normal.h"
#include "gaussian_collapsed.h"
#include "gaussian_explicit.h"
#include "gaussian_loadings.h"
#include "gaussian_scales.h"

namespace buffet {

/// Loadings A ~ N(0, sigma_a^2) truncated to [0, inf), always in the state.
class GaussianNonnegative : public GaussianExplicit {
 public:
  using Precisions = buffet::Precisions;
  using Searcher = GaussianCollapsed;
  static constexpr bool keeps_loadings = true, searches = true;

  GaussianNonnegative(const GaussianData& data, Precisions precisions)
      : GaussianExplicit(data), x_(data), tau_(precisions) {
    set_variance();
  }

  /// Starts from Z alone: the ridge estimates of the loadings, with negative values set to 0.
  void reset(const Features& z) {
    GaussianStatistics s;
    s.set(z, x_);
    set_variance();
    set_loadings((s.p * ridge_inverse(s.c, variance_ * tau_.a.value)).cwiseMax(0.0));
  }

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    OwnNonnegative own(law(), sums_of_row(residual_), own_loadings());
    own.move(log_prior_ratio, rng);
    drawn_ = own.loadings();
    return static_cast<int>(drawn_.cols());
  }

  /// The log ratio for a feature that no other row has, with its loadings integrated out, and a
  /// draw of these loadings for the row, which does not have the feature yet.
  double log_ratio_own(int k) const { return law().log_evidence(sums_of_row(rest_without(k))); }
  void draw_loading(int k, Rng& rng) { set_loading(k, law().draw(sums_of_row(residual_), rng)); }

  /// Used by moves of whole features: the law of one feature's loadings given all others, a row's
  /// statistics for these loadings, and updates of the loadings.
  NonnegativeLoadings law() const { return {variance_, tau_.a.value}; }
  LoadingSums sums_of(const Features& z, int i, const std::vector<int>& without) const {
    Eigen::VectorXd rest = residual(z, i);
    for (int k : without)
      if (z.at(i, k)) rest += loadings().col(k);
    return sums_of_row(i, rest);
  }
  using GaussianExplicit::set_loading;
  void divide(int m, const Eigen::VectorXd& first, const Eigen::VectorXd& second) {
    set_loading(m, first);
    append(second);
  }
  void unite(int a, int b, const Eigen::VectorXd& loading) {
    set_loading(a, loading);
    drop(b);
  }

  /// Draws missing entries, the loadings and the learned precisions, each given everything else.
  void update(const Features& z, Rng& rng) {
    complete(z, x_, rng);
    GaussianStatistics s;
    s.set(z, x_);
    set_loadings(draw_nonnegative_loadings(law(), s, loadings(), rng));
    const double cells = data().observed(), loads = double(loadings().size());
    if (tau_.x.learned)
      tau_.x.value = rng.gamma(tau_.x.shape + 0.5 * cells, tau_.x.rate + 0.5 * residual_squares(z));
    if (tau_.a.learned)
      tau_.a.value =
          rng.gamma(tau_.a.shape + 0.5 * loads, tau_.a.rate + 0.5 * loadings().squaredNorm());
    set_variance();
  }

  /// log p(observed entries | Z, A).
  double log_lik(const Features& z) const {
    return -0.5 * data().observed() * std::log(2 * M_PI * variance_) -
           0.5 * residual_squares(z) / variance_;
  }

  static constexpr const char* hyperparameter_names[] = {"sigma_x", "sigma_a"};
  std::array<double, 2> hyperparameters() const { return {sigma_x(), sigma_a()}; }
  /// Includes log p(A).
  double log_hyperprior() const {
    const double loads = double(loadings().size());
    return tau_.x.log_prior() + tau_.a.log_prior() +
           0.5 * loads * std::log(2 * tau_.a.value / M_PI) -
           0.5 * tau_.a.value * loadings().squaredNorm();
  }
  double sigma_x() const { return tau_.sigma_x(); }
  double sigma_a() const { return tau_.sigma_a(); }
  const Precisions& precisions() const { return tau_; }
  void set_precisions(double x, double a) {
    tau_.x.value = x;
    tau_.a.value = a;
    set_variance();
  }
  void start_at(const std::array<double, 2>& sigmas) { put_sigmas(*this, sigmas); }
  /// Learned precisions start at the data's root mean square.
  void restart() {
    const double rms = data().root_mean_square(), tau = rms > 0 ? 1 / (rms * rms) : 1;
    set_precisions(tau_.x.learned ? tau : tau_.x.value, tau_.a.learned ? tau : tau_.a.value);
  }
  /// The search for features uses normal loadings.
  GaussianCollapsed searcher() const { return GaussianCollapsed(data(), tau_); }
  void adopt(const GaussianCollapsed& searcher, const Features& z) {
    tau_ = searcher.precisions();
    x_ = searcher.completed();
    reset(z);
  }

  void archive(Archive& a) {
    GaussianExplicit::archive(a);
    a(x_);
    a(tau_);
    set_variance();
  }

 private:
  void set_variance() { variance_ = 1 / tau_.x.value; }

  /// A row's statistics for one more feature, given its residual.
  LoadingSums sums_of_row(int i, const Eigen::VectorXd& rest) const {
    LoadingSums sums{Eigen::ArrayXd::Ones(rest.size()), rest};
    data().for_hidden(i, [&](int d) { sums.observed(d) = sums.rest(d) = 0; });
    return sums;
  }
  LoadingSums sums_of_row(const Eigen::VectorXd& rest) const { return sums_of_row(row(), rest); }

  /// Sum of squared residuals over the observed entries.
  double residual_squares(const Features& z) const {
    double sum = 0;
    for (int i = 0; i < z.rows(); ++i) sum += residual(z, i).squaredNorm();
    return sum;
  }

  Completed x_;
  Precisions tau_;
};

}  // namespace buffet
