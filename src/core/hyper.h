#pragma once

#include <cmath>

#include "special.h"

namespace buffet {

/// A positive hyperparameter: fixed, or learned under a Gamma(shape, rate) prior.
struct Hyper {
  double value = 1;
  bool learned = false;
  double shape = 1;
  double rate = 1;

  static Hyper fixed(double value) { return {value, false, 1, 1}; }
  static Hyper gamma(double shape, double rate) { return {shape / rate, true, shape, rate}; }

  /// Log prior density of log(v); 0 when fixed.
  double log_prior_of_log(double v) const {
    if (!learned) return 0;
    return shape * std::log(v) - rate * v + shape * std::log(rate) - log_gamma(shape);
  }
  /// Log prior density of the value; 0 when fixed.
  double log_prior() const { return log_prior_at(value); }
  double log_prior_at(double v) const { return learned ? log_prior_of_log(v) - std::log(v) : 0; }
};

}  // namespace buffet
