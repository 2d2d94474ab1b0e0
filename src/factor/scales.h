#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "core/hyper.h"
#include "core/rng.h"
#include "core/slice.h"
#include "loading_scales.h"
#include "weight_laws.h"

namespace buffet {

/// Draws the factor c by which the weights of one feature are multiplied and its loadings divided,
/// which leaves the means unchanged. `sums` are the sums over its weights. The slice is limited to
/// an interval, because far in the tails of the law of the weights it would exceed the range of
/// doubles.
template <class Law>
double draw_scale(const WeightSums& sums, const LoadingScales& scales,
                  const Eigen::VectorXd& loadings, Rng& rng) {
  const double size = double(loadings.size()), squares = scales.squares(loadings);
  const double dimensions = sums.count - size;
  const auto log_density = [&](double log_c) {
    const double c = std::exp(log_c);
    return dimensions * log_c + Law::log_scaled(c, sums) +
           scales.log_density(squares / (c * c), size);
  };
  return std::exp(slice_within(0.0, log_density, 16 / std::sqrt(sums.count + size), rng));
}

/// Draws the factor c by which all loadings and sigma_a are multiplied and all weights divided:
/// given the loadings alone, sigma_a would hardly move, because there are many of them.
template <class Law>
double draw_common_scale(const WeightSums& sums, const Hyper& a_precision, Rng& rng) {
  const auto log_density = [&](double log_c) {
    const double c = std::exp(log_c);
    return Law::log_scaled(1 / c, sums) - sums.count * log_c +
           a_precision.log_prior_of_log(a_precision.value / (c * c));
  };
  return std::exp(slice_within(0.0, log_density, 16 / std::sqrt(sums.count), rng));
}

}  // namespace buffet
