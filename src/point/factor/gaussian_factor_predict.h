#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/log_sum.h"
#include "core/truncated_normal.h"

namespace buffet {

/// q(A) of a fit with independent truncated normals: location and scale, D x K; and the noise
/// variance.
struct NonnegativeFit {
  Eigen::MatrixXd location, scale;
  double variance;

  NonnegativeNormal loading(int d, int k) const { return {location(d, k), scale(d, k)}; }
};

/// q(A) of a fit with normal loadings: the mean, D x K, and the variances, D x K. If the features
/// of a column are dependent, covariances and the index of each column's covariance replace the
/// variances.
struct NormalFit {
  Eigen::MatrixXd mean, variances;
  std::vector<Eigen::MatrixXd> covariances;
  std::vector<int> covariance_of;
  double variance;

  UntruncatedNormal loading(int d, int k) const;
};

/// A value, and the variance of its noise.
struct Noisy {
  double value, variance;
};

/// Log density of a value in column d of a row with these features, with the loadings integrated
/// out over q(A). The most uncertain loadings are integrated exactly; the others, which are
/// narrower than the noise, enter through their mean and variance.
double log_density(const NonnegativeFit& fit, const std::vector<int>& features, int d, Noisy noisy);

/// Log density for normal loadings, which is exact.
double log_density(const NormalFit& fit, const std::vector<int>& features, int d, Noisy noisy);

/// Log density of the value x in column d of a row that has features independently with these
/// probabilities. It is summed over the bits that matter most, at most six; the others enter
/// through their mean and variance.
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
  LogSum sum;
  for (unsigned bits = 0; bits < 1u << doubtful.size(); ++bits) {
    std::vector<int> features = held;
    double log_p = 0;
    for (std::size_t n = 0; n < doubtful.size(); ++n) {
      const int k = doubtful[n].second;
      log_p += std::log(bits >> n & 1u ? on(k) : 1 - on(k));
      if (bits >> n & 1u) features.push_back(k);
    }
    sum.add(log_p + log_density(fit, features, d, Noisy{x, variance}));
  }
  return sum.log();
}

}  // namespace buffet
