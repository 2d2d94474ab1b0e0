#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "../core/truncated_normal.h"

namespace buffet {

/// q(A) of a fit: location and scale of the truncated normals, D x K, and the noise variance.
struct NonnegativeFit {
  Eigen::MatrixXd location, scale;
  double variance;
};

/// Log density of the value x in column d of a row with these features, the loadings integrated
/// out over q(A): exactly for the most uncertain of them, by mean and variance for the others,
/// which are narrower than the noise.
inline double log_density(const NonnegativeFit& fit, const std::vector<int>& features, int d,
                          double x) {
  double variance = fit.variance, most = 0, mean_of_most = 0;
  int widest = -1;
  for (int k : features) {
    const NonnegativeNormal a(fit.location(d, k), fit.scale(d, k));
    x -= a.mean();
    variance += a.variance();
    if (widest < 0 || a.variance() > most) {
      widest = k;
      most = a.variance();
      mean_of_most = a.mean();
    }
  }
  if (widest < 0) return -0.5 * (std::log(2 * M_PI * variance) + x * x / variance);
  x += mean_of_most;
  variance -= most;
  const double location = fit.location(d, widest), scale = fit.scale(d, widest);
  const double total = variance + scale * scale, gap = x - location;
  const double posterior_mean = (location * variance + x * scale * scale) / total;
  const double posterior_sd = std::sqrt(variance / total) * scale;
  return -0.5 * (std::log(2 * M_PI * total) + gap * gap / total) +
         log_normal_cdf(posterior_mean / posterior_sd) - log_normal_cdf(location / scale);
}

}  // namespace buffet
