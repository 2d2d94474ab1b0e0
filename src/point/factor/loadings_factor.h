#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <functional>
#include <limits>

#include "core/archive.h"
#include "core/bits.h"
#include "core/hyper.h"
#include "gaussian/gaussian_masks.h"
#include "gaussian/gaussian_scales.h"

namespace buffet {

/// The variational factor of a positive hyperparameter: Gamma(shape, rate) if it is learned, a
/// point if it is fixed. Reed & Ghahramani (2013) eqs. 33-45.
class GammaFactor {
 public:
  explicit GammaFactor(const Hyper& prior) : prior_(prior) { start(prior.value); }

  bool learned() const { return prior_.learned; }
  const Hyper& prior() const { return prior_; }
  double shape() const { return shape_; }
  double rate() const { return rate_; }

  double mean() const { return std::min(limit_, learned() ? shape_ / rate_ : prior_.value); }
  double mean_log() const;

  /// An initial factor centred on a value.
  void start(double value) {
    shape_ = 1;
    rate_ = 1 / value;
  }

  /// Limits the mean during annealing; infinity removes the limit.
  void limit(double most) { limit_ = most; }

  /// Sets the optimal factor given a likelihood that is x^shape exp(-rate x) in expectation.
  void update(double shape, double rate) {
    shape_ = prior_.shape + shape;
    rate_ = prior_.rate + rate;
  }

  /// E log prior plus entropy, which is the contribution to the bound.
  double log_prior_and_entropy() const;

  void archive(Archive& a) {
    a(shape_);
    a(rate_);
    a(limit_);
  }

 private:
  Hyper prior_;
  double shape_ = 1, rate_ = 1, limit_ = std::numeric_limits<double>::infinity();
};

/// The quantities that a factor of the loadings needs from Z or from the probabilities of its
/// entries.
struct HeldCounts {
  int rows;
  Eigen::MatrixXd shared;  ///< E[Z'Z]
  /// E[Z'Z] over the rows in which a group of columns is missing; empty if nothing is missing.
  std::function<Eigen::MatrixXd(int)> hidden;

  /// E[Z'Z] over the rows in which the group is observed.
  Eigen::MatrixXd observed(int group) const {
    if (!hidden) return shared;
    return shared - hidden(group);
  }
};

/// The part that all factors q(A) of the loadings share: X E[Z], E[A], and the factors of the
/// precisions, Reed & Ghahramani (2013) eqs. 39-43.
class LoadingsFactor {
 public:
  int columns() const { return static_cast<int>(sums_.rows()); }
  const Eigen::MatrixXd& mean() const { return mean_; }  ///< E[A]', D x K
  /// E |X - Z A|^2 over the observed entries.
  double residual() const { return residual_; }
  const GammaFactor& tau_x() const { return x_; }
  const GammaFactor& tau_a() const { return a_; }
  /// Sets the initial values of the factors; NaN leaves one unchanged.
  void start_precisions(double x, double a);
  /// Limits the expected precision of the noise; infinity removes the limit.
  void limit_precision(double most) { x_.limit(most); }

  /// X E[Z], D x K, which the code that changes Z keeps up to date.
  Eigen::MatrixXd& sums() { return sums_; }
  const Eigen::MatrixXd& sums() const { return sums_; }

 protected:
  LoadingsFactor(const Masks& masks, int columns, const Precisions& precisions);

  bool learns_precisions() const { return x_.learned() || a_.learned(); }
  /// Updates learned precisions given E |X - Z A|^2 over this many rows, and E |A|^2.
  void update_precisions(int rows, double residual, double second);

  const Masks* masks_;
  Eigen::MatrixXd sums_, mean_;
  double residual_ = 0;
  GammaFactor x_, a_;
};

}  // namespace buffet
