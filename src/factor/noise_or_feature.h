#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"
#include "factor_noise.h"
#include "loading_scales.h"
#include "own_weights.h"

namespace buffet {

/// Births and deaths that attribute the deviations of a single row to noise or to a singleton. With
/// the loadings integrated out, the row depends only on the sum of their variances. A birth takes a
/// share of the noise variance and a death gives it back, so the sum stays the same; with the noise
/// fixed, a feature that explains much of its row could not die.
template <class Law>
class NoiseOrFeature {
 public:
  NoiseOrFeature(FactorNoise& noise, int row, const LoadingScales& scales)
      : noise_(noise), row_(row), scales_(scales) {}

  /// Tries a few births and deaths, as OwnWeights::move() does. Returns true if any is accepted.
  template <class LogPriorRatio>
  bool move(std::vector<OwnWeight>& own, LogPriorRatio log_prior_ratio, Rng& rng) {
    bool moved = false;
    for (int n = 0; n < tries; ++n) {
      const auto size = static_cast<int>(own.size());
      if (rng.bernoulli(0.5))
        moved = try_birth(own, log_prior_ratio(size), rng) || moved;
      else if (size > 0)
        moved = try_death(own, log_prior_ratio(size - 1), rng) || moved;
    }
    return moved;
  }

 private:
  static constexpr int tries = 3;

  bool try_birth(std::vector<OwnWeight>& own, double log_prior_ratio, Rng& rng) {
    const double share = std::pow(rng.uniform(), 2), local = scales_.draw_local(rng);
    const double whole = variance(), rest = whole * (1 - share);
    const double size = std::sqrt(whole * share * local / of_loading());
    if (!(std::log(rng.uniform()) < log_prior_ratio + log_ratio_of_birth(whole, share, size)))
      return false;
    own.push_back({Law::with_sign(size, rng), local});
    noise_.set_row(row_, 1 / rest);
    return true;
  }
  bool try_death(std::vector<OwnWeight>& own, double log_prior_ratio, Rng& rng) {
    const int n = rng.below(static_cast<int>(own.size()));
    const double of_feature = of_loading() * own[n].square(), whole = variance() + of_feature;
    const double log_ratio =
        log_prior_ratio + log_ratio_of_birth(whole, of_feature / whole, std::abs(own[n].v));
    if (!(std::log(rng.uniform()) < -log_ratio)) return false;
    own.erase(own.begin() + n);
    noise_.set_row(row_, 1 / whole);
    return true;
  }

  double variance() const { return 1 / noise_.precisions().rows(row_); }
  double of_loading() const { return 1 / scales_.common.value; }

  /// Log ratio for the birth of a weight of this size, which takes a share of the whole variance
  /// from the noise: the densities of the size and of the remaining variance, over those of the
  /// whole variance and of the root of the share, which is uniform; d(rest, size) / d(whole, root)
  /// = size / root.
  double log_ratio_of_birth(double whole, double share, double size) const {
    const double rest = whole * (1 - share), root = std::sqrt(share);
    return log_prior(rest) - log_prior(whole) + Law::log_density_of_size(size) +
           std::log(size / root);
  }
  double log_prior(double variance) const {
    return noise_.log_prior_of_row(row_, 1 / variance) - 2 * std::log(variance);
  }

  FactorNoise& noise_;
  int row_;
  const LoadingScales& scales_;
};

}  // namespace buffet
