#pragma once

#include <cmath>
#include <vector>

#include "prior/exchangeable.h"

namespace buffet {

/// The buffets of the exchangeable priors, row by row. For the infinite priors, a learned alpha is
/// integrated out, so the number of new features depends on all previous ones. The finite prior
/// uses the current alpha, and all priors use the current concentration.
class Sequential {
 public:
  Sequential(const Exchangeable::Spec& spec, int rows);

  int most_features() const { return Exchangeable(1, spec_).most_features(); }

  /// Log odds that a row after n others has a feature that m of them have, and the log probability
  /// that it does not.
  double log_odds(int n, int m) const { return std::log((m + on_) / (n - m + off_)); }
  double log_off(int n, int m) const { return std::log((n - m + off_) / (n + on_ + off_)); }

  /// Log probability of j new features in a row after n others, which have `size` features.
  double log_new(int n, int size, int j) const;

 private:
  bool finite() const { return spec_.n_features > 0; }

  /// Log of the mean of alpha^size exp(-alpha E_n), where alpha E_n is the mean number of features.
  double log_alpha(int n, int size) const;

  Exchangeable::Spec spec_;
  double on_, off_;
  std::vector<double> rates_, log_rates_;  ///< cumulative rates of new features / alpha; log rates
};

}  // namespace buffet
