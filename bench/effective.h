#pragma once

#include <algorithm>
#include <vector>

namespace bench {

/// Effective number of draws for the mean, from Geyer's (1992) initial monotone sequence; 0 if all
/// draws are equal.
inline double effective_draws(const std::vector<double>& draws) {
  const std::size_t n = draws.size();
  double mean = 0;
  for (double x : draws) mean += x / n;
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t t = lag; t < n; ++t) sum += (draws[t] - mean) * (draws[t - lag] - mean);
    return sum / n;
  };
  const double variance = covariance(0);
  if (!(variance > 1e-20 * mean * mean)) return 0;
  double time = -1, least = 1e300;
  for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
    const double pair = (covariance(lag) + covariance(lag + 1)) / variance;
    if (pair <= 0) break;
    time += 2 * (least = std::min(least, pair));
  }
  return n / std::max(time, 1.0 / n);
}

}  // namespace bench
