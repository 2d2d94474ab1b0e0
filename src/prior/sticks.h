#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/log_sum.h"
#include "exchangeable.h"

namespace buffet {

/// An exchangeable prior with the probabilities of its features in the state, for slice sampling
/// (Teh, Gorur & Ghahramani 2007, semi-ordered): features that some row has, and those without rows
/// whose probability is above a slice. The latter are a Poisson process with intensity proportional
/// to pi^(-1-d) (1 - pi)^(N-1+c+d), whose points in decreasing order are the sticks of eq. 25; in
/// the finite model they are the remaining features.
///
/// In eq. 21 of the paper, the slice is uniform up to the smallest probability of a feature in use.
/// Here it is independent of Z: about a tenth of 1/N or, if that is smaller, of 1 / (N - 1 + c +
/// d). With a higher slice, singletons, whose probabilities are of this order, could hardly be
/// born; with a lower slice and a discount, there might be more unused features than fit in memory.
/// For the chain to be reversible, a feature below the slice must then stay in use, because unused
/// features below it cannot be proposed.
class Sticks : public Exchangeable {
 public:
  static constexpr double most_points = 1e5;

  using Exchangeable::Exchangeable;

  /// Draws the probabilities given Z, then the slice, then the unused features above it, which are
  /// added to Z without rows. Returns their number.
  int represent(Features& z, Rng& rng) {
    log_pi_.clear();
    log_odds_.clear();
    for (int k = 0; k < z.size(); ++k)
      add(rng.log_gamma_draw(z.count(k) + shape_on()),
          rng.log_gamma_draw(z.rows() - z.count(k) + shape_off()));
    log_slice_ = std::log((0.05 + 0.1 * rng.uniform()) / (rows() - 1 + std::max(1.0, shape_off())));
    const int used = z.size();
    add_unused(used, rng);
    const int unused = static_cast<int>(log_pi_.size()) - used;
    for (int n = 0; n < unused; ++n) z.add(Bits(z.rows()));
    return unused;
  }

  /// Log odds of z_ik = 1 given everything else.
  double log_odds(const Features& z, int i, int k) const {
    if (z.count(k) == 0 && used(z) >= most_features())
      return -std::numeric_limits<double>::infinity();
    const bool kept = log_pi_[k] < log_slice_ && z.is_own(i, k);
    return kept ? std::numeric_limits<double>::infinity() : log_odds_[k];
  }

 private:
  static int used(const Features& z) {
    int sum = 0;
    for (int k = 0; k < z.size(); ++k) sum += z.count(k) > 0;
    return sum;
  }

  /// Adds pi as log odds, from the logarithms of two Gamma draws: pi is the first draw divided by
  /// the sum of both.
  void add(double log_on, double log_off) {
    const double odds = log_on - log_off;
    log_odds_.push_back(odds);
    log_pi_.push_back(-softplus(-odds));
  }

  void add_unused(int used, Rng& rng) {
    if (finite()) {
      for (int n = used; n < spec().n_features; ++n) {
        add(rng.log_gamma_draw(shape_on()), rng.log_gamma_draw(rows() + shape_off()));
        if (log_pi_.back() > log_slice_) continue;
        log_pi_.pop_back();
        log_odds_.pop_back();
      }
      return;
    }
    // Points with intensity pi^(-1-d) above the slice, thinned by (1 - pi)^(N-1+c+d).
    const double d = spec().discount;
    const double mass = d > 0 ? std::expm1(-d * log_slice_) / d : -log_slice_;
    const double mean = alpha() * std::exp(log_levy_constant()) * mass;
    if (!(mean < most_points))
      throw std::runtime_error(
          "slice sampling asks for more than 100000 unused features: `discount` or `alpha` is too "
          "large for it.");
    const int points = rng.poisson(mean);
    for (int n = 0; n < points; ++n) {
      const double u = rng.uniform() * mass;
      const double log_pi = d > 0 ? -std::log1p(u * d) / d : -u;
      const double log_rest = std::log(-std::expm1(log_pi));
      if (std::log(rng.uniform()) >= (rows() - 1 + shape_off()) * log_rest) continue;
      log_pi_.push_back(log_pi);
      log_odds_.push_back(log_pi - log_rest);
    }
  }

  double log_slice_ = 0;
  std::vector<double> log_pi_, log_odds_;
};

}  // namespace buffet
