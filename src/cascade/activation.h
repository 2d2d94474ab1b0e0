#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "cascade.h"
#include "core/slice.h"

namespace buffet {

/// Law of one pre-activation x given all else: N(mean, 1 / precision) by its parents, and by its
/// children the factor exp(pull u - weight u^2 / 2), u = squash(x), however many they are.
struct ActivationLaw {
  double mean, precision, weight, pull;

  double log_children(double x) const {
    const double u = squash(x);
    return u * (pull - 0.5 * weight * u);
  }
  double log_density(double x) const {
    return log_children(x) - 0.5 * precision * (x - mean) * (x - mean);
  }
  double sd() const { return 1 / std::sqrt(precision); }
};

/// Slice sampling with stepping out and shrinkage. The children see changes of x by half at most,
/// and far less where u is near its ends: so the width is not below a tenth of the parents' law.
inline double slice_activation(double x, const ActivationLaw& law, Rng& rng) {
  const double seen = std::min(0.25 * law.weight, 99 * law.precision);
  const double width = 2.5 / std::sqrt(law.precision + seen);
  return slice_sample(
      x, [&](double at) { return law.log_density(at); }, width, rng);
}

/// Metropolis with five proposals from the parents (Adams et al.; Liu, Liang & Wong 2000).
inline double multiple_try_activation(double x, const ActivationLaw& law, Rng& rng) {
  std::array<double, 5> tries, weights;
  const auto draw = [&] { return law.mean + law.sd() * rng.normal(); };
  const auto weight = [&](double at) { return law.log_children(at); };
  double most = weight(x);
  for (std::size_t n = 0; n < tries.size(); ++n) {
    tries[n] = draw();
    weights[n] = weight(tries[n]);
    most = std::max(most, weights[n]);
  }
  double total = 0, others = std::exp(weight(x) - most);
  for (double& w : weights) total += w = std::exp(w - most);
  double at = rng.uniform() * total;
  std::size_t chosen = 0;
  while (chosen + 1 < tries.size() && (at -= weights[chosen]) >= 0) ++chosen;
  for (std::size_t n = 1; n < tries.size(); ++n) others += std::exp(weight(draw()) - most);
  return rng.uniform() * others < total ? tries[chosen] : x;
}

/// Elliptical slice sampling (Murray, Adams & MacKay 2010).
inline double elliptical_activation(double x, const ActivationLaw& law, Rng& rng) {
  const double other = law.sd() * rng.normal(), from = x - law.mean;
  const double level = law.log_children(x) + std::log(rng.uniform());
  double angle = 2 * M_PI * rng.uniform(), least = angle - 2 * M_PI, most = angle;
  for (;;) {
    const double proposal = law.mean + from * std::cos(angle) + other * std::sin(angle);
    if (law.log_children(proposal) > level) return proposal;
    if (most - least < 1e-12) return x;
    (angle < 0 ? least : most) = angle;
    angle = least + (most - least) * rng.uniform();
  }
}

inline double draw_activation(double x, const ActivationLaw& law, ActivationSampler sampler,
                              Rng& rng) {
  switch (sampler) {
    case ActivationSampler::multiple_try:
      return multiple_try_activation(x, law, rng);
    case ActivationSampler::elliptical:
      return elliptical_activation(x, law, rng);
    default:
      return slice_activation(x, law, rng);
  }
}

}  // namespace buffet
