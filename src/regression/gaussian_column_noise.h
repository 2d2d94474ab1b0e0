#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <utility>

#include "column_precisions.h"
#include "core/archive.h"
#include "core/likelihood.h"
#include "gaussian/gaussian_collapsed.h"
#include "gaussian/gaussian_explicit.h"
#include "gaussian/independent_components.h"
#include "regression_rows.h"
#include "regressions.h"

namespace buffet {

/// x_ij ~ N(z_i a_j, sigma_j^2), with loadings A ~ N(0, sigma_a^2) in the state. Rows are visited
/// in units in which the noise is N(0, 1); a row's singletons are drawn with their loadings
/// integrated out. Given sigma_j every column is a normal regression on Z, so whole features are
/// moved with all loadings integrated out.
class GaussianColumnNoise : public GaussianExplicit {
 public:
  using Searcher = GaussianColumnNoise;
  static constexpr bool keeps_loadings = true, searches = true, updates_weights = false;
  static constexpr SearchShape search_shape{3, 100, 50, 0.5};

  /// One prior or one value for the noise of every column, unless set_rates() or set_precisions()
  /// gives each column its own.
  GaussianColumnNoise(const GaussianData& data, const Precisions& precisions)
      : GaussianExplicit(data), squares_(squares_of_columns(data)), tau_(data.width(), precisions) {
    follow();
  }

  /// Starts from Z alone, with the loadings at their posterior mean.
  void reset(const Features& z) {
    const RegressionData data = augment(z);
    set_weights(regressions(z, data).factor().mean());
  }

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const Eigen::VectorXd rest = rest_without_own();
    own_density_.enter(rest.array().square());
    for_hidden([&](int d) { own_density_.leave_out(d); });
    const int own = draw_own_count(log_prior_ratio, own_density_, rng, OwnColumnDensity::too_many);
    draw_own_loadings(own, rest, tau_.a().value / tau_.x(), rng);
    return own;
  }

  bool moves_are_due() const { return true; }
  /// No row is visited with the loadings integrated out: such visits would cost as much as they
  /// gain.
  bool row_visits_are_due() const { return false; }
  /// The columns as regressions on Z, given the noise.
  RegressionData augment(const Features& z) const {
    RegressionData known{tau_.x().matrix().replicate(1, z.rows()),
                         Eigen::MatrixXd::Zero(data().width(), z.rows())};
    for (int i = 0; i < z.rows(); ++i) {
      data().add(i, 1, known.kappa.col(i));
      data().for_hidden(i, [&](int d) { known.omega(d, i) = 0; });
    }
    known.kappa.array().colwise() *= tau_.x();
    return known;
  }
  RegressionData augment(const Features& z, Rng&) const { return augment(z); }
  Regressions regressions(const Features& z, const RegressionData& known) const {
    return Regressions(z, known, {tau_.a().value});
  }
  void draw_weights(const Regressions& given, Rng& rng) { set_weights(given.factor().draw(rng)); }

  /// The loadings, D x K.
  Eigen::MatrixXd weights() const {
    return units_.matrix().asDiagonal() * GaussianExplicit::loadings();
  }
  void set_weights(const Eigen::MatrixXd& a) {
    set_loadings(units_.inverse().matrix().asDiagonal() * a);
  }
  /// In the format of saved draws: the sigma_j, followed by the loadings.
  Eigen::MatrixXd loadings() const {
    Eigen::MatrixXd all(units_.size(), GaussianExplicit::loadings().cols() + 1);
    all << units_, weights();
    return all;
  }

  /// Draws the learned standard deviations given the loadings.
  void update(const Features& z, Rng& rng) {
    const Eigen::MatrixXd a = weights();
    tau_.update(residual_squares(z), double(a.size()), a.squaredNorm(), rng);
    follow();
    set_weights(a);
  }

  /// log p(observed entries | Z), with the loadings integrated out.
  double log_lik(const Features& z) const {
    const Eigen::ArrayXd& x = tau_.x();
    const double constant = (squares_.count * (x / (2 * M_PI)).log() - squares_.sum * x).sum();
    const RegressionData data = augment(z);
    return 0.5 * constant + regressions(z, data).current_log_lik();
  }
  double log_evidence(const Features& z) const { return log_lik(z); }

  static constexpr auto& hyperparameter_names = GaussianCollapsed::hyperparameter_names;
  std::array<double, 2> hyperparameters() const { return {sigma_x(), sigma_a()}; }
  double log_hyperprior() const { return tau_.log_hyperprior(); }
  double log_hyperprior_of_logs() const { return tau_.log_hyperprior_of_logs(); }
  double sigma_x() const { return tau_.sigma_x(); }  ///< root mean square
  double sigma_a() const { return tau_.sigma_a(); }
  const ColumnPrecisions& precisions() const { return tau_; }
  /// Call before reset() or set_weights(): sets a common noise for all columns, or one for each.
  template <class X>
  void set_precisions(const X& x, double a) {
    tau_.set(x, a);
    follow();
  }
  void set_rates(const Eigen::ArrayXd& rates) { tau_.set_rates(rates); }
  void start_at(const std::array<double, 2>& sigmas) { put_sigmas(*this, sigmas); }
  void restart() {
    tau_.restart(squares_);
    follow();
  }

  /// The noise floors at progress u in [0, 1] of a search; until the search ends, rows get few
  /// singletons, because otherwise an outlying row would get more and more of them, with smaller
  /// and smaller loadings.
  void anneal(double u) {
    const Eigen::MatrixXd a = weights();
    tau_.anneal(u, squares_);
    own_density_.set_most_own(u < 1 ? 10 : OwnColumnDensity::too_many);
    follow();
    set_weights(a);
  }
  /// Features suggested by the data, if all columns have the same noise.
  Features suggest(Rng& rng) const {
    Completed x(data());
    return independent_components(x, rng);
  }
  const GaussianColumnNoise& searcher() const { return *this; }
  void adopt(GaussianColumnNoise searcher, const Features&) { *this = std::move(searcher); }

  void archive(Archive& a) {
    GaussianExplicit::archive(a);
    a(tau_);
    a(own_density_);
    follow();
  }

 private:
  /// Updates the noise from tau_; the loadings keep their values in units of the noise.
  void follow() {
    units_ = tau_.sigmas();
    own_density_.set(tau_.x() / tau_.a().value);
  }

  static Squares squares_of_columns(const GaussianData& data) {
    Squares squares{Eigen::ArrayXd::Constant(data.width(), data.rows()),
                    Eigen::ArrayXd::Zero(data.width())};
    for (int i = 0; i < data.rows(); ++i)
      data.for_entries(i, [&](int d, double value) {
        if (std::isnan(value))
          --squares.count(d);
        else
          squares.sum(d) += value * value;
      });
    return squares;
  }

  /// Squared residuals x - z A, for observed entries only.
  Squares residual_squares(const Features& z) const {
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(units_.size());
    for (int i = 0; i < z.rows(); ++i) sum += residual(z, i).array().square();
    return {squares_.count, sum * units_.square()};
  }

  Squares squares_;
  ColumnPrecisions tau_;
  OwnColumnDensity own_density_;
};

}  // namespace buffet
