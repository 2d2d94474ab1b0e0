#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/archive.h"
#include "core/features.h"
#include "core/likelihood.h"
#include "core/rng.h"
#include "gaussian_data.h"
#include "gaussian_moments.h"
#include "gaussian_row.h"
#include "gaussian_scales.h"
#include "independent_components.h"

namespace buffet {

/// X | Z ~ N(Z A, sigma_x^2), A ~ N(0, sigma_a^2) with A integrated out (Griffiths & Ghahramani
/// 2011, eq. 21), for whole matrices and columns of Z. M, G and mu as in LoadingsMoments, rho =
/// sigma_x^2/sigma_a^2, P = X'Z.
class GaussianMarginal {
 public:
  using Precisions = buffet::Precisions;
  static constexpr SearchShape search_shape{3, 100, 50, 0.5};

  GaussianMarginal(const GaussianData& data, Precisions precisions)
      : x_(data), scales_(DataSize::of(data, data.columns()), precisions) {}

  /// Recomputes everything from scratch.
  void reset(const Features& z) {
    statistics_.set(z, x_);
    refreshed_ = 0;
    invert();
  }

  /// Recomputes M and G from Z and P, and every hundredth time P from Z. Called once per sweep to
  /// limit rounding errors. P is otherwise only updated by flips, so it accumulates the rounding
  /// errors of an entry that is much larger than the others.
  void refresh(const Features& z) {
    if (++refreshed_ % 100 == 0) {
      statistics_.set(z, x_);
    } else {
      statistics_.set_counts(z);
      statistics_.total = x_.total();
    }
    invert();
  }

  // --- whole columns -------------------------------------------------------------------------

  /// Log likelihood of the observed entries. Call between visits: this and all functions below need
  /// fresh statistics.
  double log_lik(const Features& z) const {
    if (data().complete()) return log_lik(statistics_);
    return GaussianColumns(z, x_, statistics_).log_lik(noise_variance(), rho());
  }
  double log_evidence(const Features& z) const { return log_lik(z); }
  /// Log likelihood of the completed data.
  double log_lik(const GaussianStatistics& s) const { return scales_.log_lik(s); }

  /// Log likelihood of the completed data with column k of z replaced minus the log likelihood
  /// without column k, in O(K^2 + K D). b are the coefficients of the new column on the others, s
  /// is the Schur complement.
  double log_ratio_replaced(int k, const Bits& column, const Features& z) const {
    Eigen::VectorXd c(z.size());
    for (int l = 0; l < z.size(); ++l) c(l) = l == k ? 0 : column.count_shared(z.column(l));
    Eigen::VectorXd b = moments_.m * c;
    b -= moments_.m.col(k) * (b(k) / moments_.m(k, k));
    b(k) = 0;
    const double s = column.count() + rho() - c.dot(b);
    if (!(s > 0)) return -std::numeric_limits<double>::infinity();
    const double fit = (x_.sum(column) - statistics_.p * b).squaredNorm();
    return -0.5 * data().columns() * std::log(moments_.m(k, k) * s) +
           0.5 * (fit / s - moments_.g(k, k) / moments_.m(k, k)) / noise_variance();
  }

  /// Posterior mean of the loadings, D x K in the coordinates of the data stored here.
  Eigen::MatrixXd loadings() const { return statistics_.p * moments_.m; }

  const GaussianStatistics& statistics() const { return statistics_; }

  /// Accepts the statistics of a changed Z.
  void accept(GaussianStatistics statistics) {
    statistics_ = std::move(statistics);
    invert();
  }

  const GaussianData& data() const { return x_.data(); }
  const Completed& completed() const { return x_; }
  Completed& completed() { return x_; }
  double rho() const { return scales_.rho(); }
  double noise_variance() const { return scales_.variance(); }

  // --- hyperparameters -----------------------------------------------------------------------

  /// Draws the learned precisions. Needs fresh statistics.
  void update(const Features& z, Rng& rng) {
    if (scales_.update(z, statistics_, x_, rng)) invert();
  }

  static constexpr const char* hyperparameter_names[] = {"sigma_x", "sigma_a"};
  std::array<double, 2> hyperparameters() const { return {sigma_x(), sigma_a()}; }

  /// Log prior density of the learned precisions, or of their logarithms.
  double log_hyperprior() const { return precisions().x.log_prior() + precisions().a.log_prior(); }
  double log_hyperprior_of_logs() const {
    const auto& [x, a] = precisions();
    return x.log_prior_of_log(x.value) + a.log_prior_of_log(a.value);
  }

  double sigma_x() const { return scales_.sigma_x(); }
  double sigma_a() const { return scales_.sigma_a(); }
  const Precisions& precisions() const { return scales_.precisions(); }
  void set_precisions(double x, double a) { scales_.set_precisions(x, a); }
  void start_at(const std::array<double, 2>& sigmas) { put_sigmas(*this, sigmas); }

  void archive(Archive& a) {
    a(x_);
    scales_.archive(a);
    a(statistics_);
    a(most_own_);
    a(refreshed_);
    if (a.reads()) invert();
  }
  bool fits(const Features& z) const { return statistics_.fits(data().width(), z); }

  // --- warm-up -------------------------------------------------------------------------------

  void restart() { scales_.restart(); }

  /// Features suggested by the data; missing entries are completed.
  Features suggest(Rng& rng) { return independent_components(x_, rng); }

  /// Sets the noise floor at progress u in [0, 1]. Before the end, rows get few singletons:
  /// otherwise an outlier would get more and more of them, each with smaller loadings than the
  /// last.
  void anneal(double u) {
    scales_.anneal(u);
    most_own_ = u < 1 ? 10 : RowDensity::too_many;
    invert();
  }

 protected:
  void invert() { moments_.set(statistics_, rho()); }

  Completed x_;
  GaussianScales scales_;
  GaussianStatistics statistics_;
  LoadingsMoments moments_;
  int most_own_ = RowDensity::too_many;
  int refreshed_ = 0;  ///< number of calls to refresh() since reset()
};

}  // namespace buffet
