#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/fast_log.h"
#include "core/rng.h"

namespace buffet {

/// Distribution of a row given the other rows: x ~ N(z mu, variance (1 + t)), with squared distance
/// r from the mean.
struct RowPosition {
  double t, r;
};

/// Log density of a row with the loadings integrated out, up to a constant. Each singleton adds
/// 1/rho to t and leaves r unchanged.
struct RowDensity {
  static constexpr int too_many = 10000;

  double columns, variance, rho;
  int most_own = too_many;  ///< limited further only in the search of a warm-up

  double operator()(RowPosition at) const {
    const double spread = 1 + at.t;
    return -0.5 * (columns * fast_log(spread) + at.r / (variance * spread));
  }

  /// An upper bound on the gain in log density from the j-th singleton, which decreases in j: it is
  /// 0 once the variance accounts for the distance, and never exceeds the gain in fit.
  double most_gain(RowPosition at, int j) const {
    const double before = 1 + at.t + (j - 1) / rho;
    if (columns * variance * before >= at.r) return 0;
    return 0.5 * at.r / variance * (1 / before - 1 / (before + 1 / rho));
  }
};

/// The log density of a row as a function of its number of singletons, and an upper bound on the
/// gain from the j-th.
struct OwnDensity {
  RowDensity row;
  RowPosition none;  ///< without singletons

  double operator()(int own) const { return row({none.t + own / row.rho, none.r}); }
  double most_gain(int j) const { return row.most_gain(none, j); }
  int most_own() const { return row.most_own; }
};

/// Draws an index with probability proportional to exp(log_weights), which are overwritten.
inline int draw_index(std::vector<double>& log_weights, Rng& rng) {
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  double total = 0;
  for (double& w : log_weights) total += w = std::exp(w - largest);
  double rest = rng.uniform() * total;
  const int last = static_cast<int>(log_weights.size()) - 1;
  for (int j = 0; j < last; ++j)
    if ((rest -= log_weights[j]) < 0) return j;
  return last;
}

[[noreturn]] inline void throw_too_many(int features) {
  throw std::runtime_error("a row asks for more than " + std::to_string(features) +
                           " features of its own: for these data `alpha` is far too large, or "
                           "`sigma_a` or the noise far too small.");
}

/// Draws the number of singletons of a row; log_prior_ratio(j) = log P(j + 1) - log P(j) and
/// density.most_gain(j) decrease in j. The sum is truncated when a bound on its remainder is below
/// rounding error.
template <class LogPriorRatio, class Density>
int draw_own_count(LogPriorRatio log_prior_ratio, Density&& density, Rng& rng,
                   int too_many = RowDensity::too_many) {
  thread_local std::vector<double> log_weights;
  log_weights.assign(1, density(0));
  double log_prior = 0, log_growth = 0, largest = log_weights[0];
  for (int j = 1; log_weights.back() > largest - 45 || log_growth > -0.7; ++j) {
    if (j > density.most_own() && density.most_own() < too_many) break;
    if (j > too_many) throw_too_many(too_many);
    const double ratio = log_prior_ratio(j - 1);
    if (ratio == -std::numeric_limits<double>::infinity()) break;
    log_prior += ratio;
    log_growth = ratio + density.most_gain(j);
    log_weights.push_back(log_prior + density(j));
    largest = std::max(largest, log_weights.back());
  }
  return draw_index(log_weights, rng);
}

}  // namespace buffet
