#pragma once

#include <algorithm>
#include <limits>

#include "core/archive.h"
#include "core/hyper.h"

namespace buffet {

/// The variational factor of a positive hyperparameter: Gamma(shape, rate) where it is learned, a
/// point where it is fixed. Reed & Ghahramani (2013) eqs. 33-45.
class GammaFactor {
 public:
  explicit GammaFactor(const Hyper& prior) : prior_(prior) { start(prior.value); }

  bool learned() const { return prior_.learned; }
  const Hyper& prior() const { return prior_; }
  double shape() const { return shape_; }
  double rate() const { return rate_; }

  double mean() const { return std::min(limit_, learned() ? shape_ / rate_ : prior_.value); }
  double mean_log() const;

  /// Before anything is known: a factor around a value.
  void start(double value) {
    shape_ = 1;
    rate_ = 1 / value;
  }

  /// While annealing the mean counts as at most this; infinity ends that.
  void limit(double most) { limit_ = most; }

  /// The best factor given a likelihood that is x^shape exp(-rate x) in expectation.
  void update(double shape, double rate) {
    shape_ = prior_.shape + shape;
    rate_ = prior_.rate + rate;
  }

  /// E log prior plus entropy: what it adds to the bound.
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

}  // namespace buffet
