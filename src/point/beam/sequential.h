#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "prior/exchangeable.h"

namespace buffet {

/// The exchangeable priors as their buffet, row after row. Of the infinite ones alpha is integrated
/// out where it is learned, so that the numbers of new features depend on all before; the finite
/// one takes it, and all take the concentration, as they are.
class Sequential {
 public:
  Sequential(const Exchangeable::Spec& spec, int rows) : spec_(spec) {
    const double c = spec.concentration.value, d = spec.discount;
    on_ = finite() ? spec.alpha.value * c / spec.n_features : -d;
    off_ = finite() ? c : c + d;
    double rate = 1;
    rates_.assign(1, 0);
    for (int n = 1; n <= rows; ++n) {
      log_rates_.push_back(std::log(rate));
      rates_.push_back(rates_.back() + rate);
      rate *= (n - 1 + c + d) / (n + c);
    }
  }

  int most_features() const { return Exchangeable(1, spec_).most_features(); }

  /// Log odds that a row after n others has a feature that m of them have, and log of the
  /// probability that it has not.
  double log_odds(int n, int m) const { return std::log((m + on_) / (n - m + off_)); }
  double log_off(int n, int m) const { return std::log((n - m + off_) / (n + on_ + off_)); }

  /// Log probability of j new features in a row after n others, which have `size`.
  double log_new(int n, int size, int j) const {
    if (!finite())
      return log_alpha(n + 1, size + j) - log_alpha(n, size) + j * log_rates_[n] - log_factorial(j);
    const int unused = spec_.n_features - size;
    if (j > unused) return -std::numeric_limits<double>::infinity();
    return log_factorial(unused) - log_factorial(j) - log_factorial(unused - j) +
           j * log_odds(n, 0) + unused * log_off(n, 0);
  }

 private:
  bool finite() const { return spec_.n_features > 0; }

  /// Log of the mean of alpha^size exp(-alpha E_n), alpha E_n the mean number of features.
  double log_alpha(int n, int size) const {
    const Hyper& h = spec_.alpha;
    if (!h.learned) return size * std::log(h.value) - h.value * rates_[n];
    return h.shape * std::log(h.rate) - log_gamma(h.shape) + log_gamma(h.shape + size) -
           (h.shape + size) * std::log(h.rate + rates_[n]);
  }

  Exchangeable::Spec spec_;
  double on_, off_;
  std::vector<double> rates_, log_rates_;  ///< sums of the rates of new features / alpha; rates
};

}  // namespace buffet
