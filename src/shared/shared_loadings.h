#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <utility>

#include "core/archive.h"
#include "core/rng.h"
#include "gaussian/gaussian_collapsed.h"
#include "gaussian/gaussian_loadings.h"
#include "gaussian/gaussian_moments.h"
#include "gaussian/gaussian_row.h"
#include "gaussian/gaussian_rows.h"
#include "gaussian/gaussian_scales.h"
#include "own_exchange.h"
#include "row_chain.h"
#include "visit_rows.h"

namespace buffet {

/// Loadings in the state (D x K), the same for all workers of a cluster, and drawn from sums over
/// all rows.
class SharedLoadings {
 public:
  static constexpr bool keeps_loadings = true;
  static constexpr const char* hyperparameter_names[] = {"sigma_x", "sigma_a"};

  SharedLoadings(const GaussianRows& data, Precisions precisions)
      : scales_(DataSize::of(data, data.columns), precisions),
        entries_(double(data.rows()) * data.columns),
        observed_(data.observed()),
        a_(data.columns, 0) {}

  const Eigen::MatrixXd& loadings() const { return a_; }
  void set_loadings(Eigen::MatrixXd a) { a_ = std::move(a); }

  double variance() const { return scales_.variance(); }
  double sigma_x() const { return scales_.sigma_x(); }
  double sigma_a() const { return scales_.sigma_a(); }
  const Precisions& precisions() const { return scales_.precisions(); }
  void set_precisions(double x, double a) { scales_.set_precisions(x, a); }
  std::array<double, 2> hyperparameters() const { return {sigma_x(), sigma_a()}; }
  void restart() { scales_.restart(); }

  /// log p(observed entries | Z, A), given the sum of squared residuals.
  double log_lik(double squares) const {
    return -0.5 * observed_ * std::log(2 * M_PI * variance()) - 0.5 * squares / variance();
  }

  void archive(Archive& a) {
    const auto columns = a_.rows();
    a(a_);
    a.check(a_.rows() == columns, "loadings");
    scales_.archive(a);
  }
  bool fits(const Features& z) const { return a_.cols() == z.size(); }

 protected:
  /// Log prior density of the precisions, and of N(0, sigma_a^2) loadings.
  double log_prior() const {
    const auto& [x, a] = precisions();
    return x.log_prior() + a.log_prior() + 0.5 * double(a_.size()) * std::log(a.value / 2 / M_PI) -
           0.5 * a.value * a_.squaredNorm();
  }

  SumOfSquares of_loadings() const { return {a_.squaredNorm(), double(a_.size())}; }

  GaussianScales scales_;
  double entries_, observed_;
  Eigen::MatrixXd a_;
};

/// A row, the features whose bits may be drawn, and the loadings of the row's singletons.
struct RowWithOwn {
  const VisitedRow& row;
  const std::vector<int>& free;
  Eigen::MatrixXd& own;
};

/// A ~ N(0, sigma_a^2).
class SharedNormal : public SharedLoadings {
 public:
  using SharedLoadings::SharedLoadings;

  /// Draws the bits of a row, then the number of its singletons with their loadings integrated out,
  /// then these loadings.
  template <class LogPriorRatio>
  void draw_with_own(const RowWithOwn& at, LogPriorRatio log_prior_ratio, RowChain& chain) const {
    const auto& [x, i, own_row, number] = at.row;
    chain.likelihood.spread(1 + double(at.own.cols()) / scales_.rho());
    draw_free_bits(own_row, at.free, chain);
    const double square = std::max(0.0, x.square(i) + chain.likelihood.misfit());
    const OwnDensity density{{double(x.observed(i)), variance(), scales_.rho()}, {0, square}};
    const int own = draw_own_count(log_prior_ratio, density, chain.rng);
    at.own.resize(a_.rows(), own);
    if (own == 0) return;
    const NormalLoadings law{variance(), Eigen::ArrayXd::Constant(a_.rows(), scales_.rho())};
    at.own = law.draw_own(
        own, at.row.without(a_, chain.likelihood.on()),
        [&x = x, i = i](auto f) { x.for_hidden(i, f); }, chain.rng);
  }

  void reset(const GaussianStatistics& s) { a_ = s.p * ridge_inverse(s.c, scales_.rho()); }
  void adopt(const Eigen::MatrixXd& a) { a_ = a; }

  /// Draws the learned precisions given the completed data with the loadings integrated out, then
  /// the loadings, then the precisions given the loadings: far from the posterior, the first draw
  /// overshoots.
  template <class LeftSquares>
  void update(const GaussianStatistics& s, LeftSquares, Rng& rng) {
    scales_.draw(Spectrum(s), rng);
    a_ = draw_normal_loadings(s, variance(), scales_.rho(), rng);
    scales_.draw_given({s.left_squares(a_), entries_}, of_loadings(), rng);
  }

  double log_hyperprior() const { return log_prior(); }
};

/// A ~ N(0, sigma_a^2) truncated to [0, inf).
class SharedNonnegative : public SharedLoadings {
 public:
  using SharedLoadings::SharedLoadings;

  /// Draws the bits of a row, then updates its singletons.
  template <class LogPriorRatio>
  void draw_with_own(const RowWithOwn& at, LogPriorRatio log_prior_ratio, RowChain& chain) const {
    if (at.own.cols() > 0) chain.likelihood.take_off(at.row.observed(at.own.rowwise().sum()));
    draw_free_bits(at.row.own, at.free, chain);
    if (!chain.bare)
      OwnExchange(law(), a_, at.free, left_of(at, chain))
          .move(at.row.own, at.own, log_prior_ratio, chain);
    OwnNonnegative own(law(), left_of(at, chain), at.own);
    own.move(log_prior_ratio, chain.rng);
    at.own = own.loadings();
  }

  void reset(const GaussianStatistics& s) {
    a_ = (s.p * ridge_inverse(s.c, scales_.rho())).cwiseMax(0.0);
  }
  void adopt(const Eigen::MatrixXd& a) { a_ = a.cwiseMax(0.0); }

  /// Draws the loadings, then the learned precisions, each given everything else. squares() returns
  /// the sum of squared residuals of the observed entries.
  template <class LeftSquares>
  void update(const GaussianStatistics& s, LeftSquares squares, Rng& rng) {
    // A pass costs almost nothing compared with the visits to the rows, and features that often
    // occur together mix slowly within a pass.
    for (int pass = 0; pass < 10; ++pass)
      a_ = draw_nonnegative_loadings(law(), s, std::move(a_), rng);
    scales_.draw_given({squares(), observed_}, of_loadings(), rng);
  }

  double log_hyperprior() const { return log_prior() + double(a_.size()) * M_LN2; }

 private:
  NonnegativeLoadings law() const { return {variance(), precisions().a.value}; }

  /// The row's statistics for one more feature in addition to its singletons.
  LoadingSums left_of(const RowWithOwn& at, const RowChain& chain) const {
    const Eigen::VectorXd rest = at.row.without(a_, chain.likelihood.on());
    return {at.row.observed(Eigen::VectorXd::Ones(a_.rows())),
            rest - at.row.observed(at.own.rowwise().sum())};
  }
};

}  // namespace buffet
