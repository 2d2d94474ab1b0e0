#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/truncated_normal.h"

namespace buffet {

/// q(A) of a fit, independent truncated normals: location and scale, D x K; and the noise variance.
struct NonnegativeFit {
  Eigen::MatrixXd location, scale;
  double variance;

  NonnegativeNormal loading(int d, int k) const { return {location(d, k), scale(d, k)}; }
};

/// q(A) of a fit, normal: the mean, D x K, and the variances, D x K, or where the features of a
/// column depend on each other covariances, and which of them is that of a column.
struct NormalFit {
  Eigen::MatrixXd mean, variances;
  std::vector<Eigen::MatrixXd> covariances;
  std::vector<int> covariance_of;
  double variance;

  UntruncatedNormal loading(int d, int k) const {
    const double square =
        covariances.empty() ? variances(d, k) : covariances[covariance_of[d]](k, k);
    return {mean(d, k), std::sqrt(square)};
  }
};

/// A value, and the variance of the noise in it.
struct Noisy {
  double value, variance;
};

/// Log density of a value in column d of a row with these features, the loadings integrated out
/// over q(A): exactly for the most uncertain of them, by mean and variance for the others, which
/// are narrower than the noise.
inline double log_density(const NonnegativeFit& fit, const std::vector<int>& features, int d,
                          Noisy noisy) {
  auto [x, variance] = noisy;
  double most = 0, mean_of_most = 0;
  int widest = -1;
  for (int k : features) {
    const NonnegativeNormal a = fit.loading(d, k);
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

/// The same of normal loadings, exactly.
inline double log_density(const NormalFit& fit, const std::vector<int>& features, int d,
                          Noisy noisy) {
  auto [x, variance] = noisy;
  for (int k : features) {
    x -= fit.mean(d, k);
    if (fit.covariances.empty()) {
      variance += fit.variances(d, k);
    } else {
      for (int l : features) variance += fit.covariances[fit.covariance_of[d]](k, l);
    }
  }
  return -0.5 * (std::log(2 * M_PI * variance) + x * x / variance);
}

/// Log density of the value x in column d of a row that holds features with these probabilities,
/// independently: the sum over those bits, six at most, that make the most difference; the others
/// enter by mean and variance.
template <class Fit>
double log_density(const Fit& fit, const Eigen::VectorXd& on, int d, double x) {
  constexpr double sure = 1e-6;
  constexpr std::size_t most_bits = 6;
  std::vector<int> held;
  std::vector<std::pair<double, int>> doubtful;
  for (int k = 0; k < on.size(); ++k) {
    const double mean = fit.loading(d, k).mean();
    if (on(k) > 1 - sure)
      held.push_back(k);
    else if (on(k) > sure)
      doubtful.emplace_back(on(k) * (1 - on(k)) * mean * mean, k);
  }
  std::sort(doubtful.begin(), doubtful.end(), std::greater<>());
  double variance = fit.variance;
  for (; doubtful.size() > most_bits; doubtful.pop_back()) {
    const auto [spread, k] = doubtful.back();
    x -= on(k) * fit.loading(d, k).mean();
    variance += spread + on(k) * fit.loading(d, k).variance();
  }
  double largest = -INFINITY, sum = 0;
  for (unsigned bits = 0; bits < 1u << doubtful.size(); ++bits) {
    std::vector<int> features = held;
    double log_p = 0;
    for (std::size_t n = 0; n < doubtful.size(); ++n) {
      const int k = doubtful[n].second;
      log_p += std::log(bits >> n & 1u ? on(k) : 1 - on(k));
      if (bits >> n & 1u) features.push_back(k);
    }
    log_p += log_density(fit, features, d, Noisy{x, variance});
    const double before = largest;
    largest = std::max(largest, log_p);
    sum = sum * std::exp(before - largest) + std::exp(log_p - largest);
  }
  return largest + std::log(sum);
}

}  // namespace buffet
