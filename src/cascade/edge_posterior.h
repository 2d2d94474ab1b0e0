#pragma once

#include <cmath>

#include "core/rng.h"
#include "normal_gamma.h"

namespace buffet {

/// The posterior of an edge of a unit: the distribution of its weight if the edge is present, and
/// the log Bayes factor for its presence, with the weight integrated out. uu is the sum of the
/// parent's squared activations; ue is the sum of their products with the unit's residuals without
/// this edge.
struct EdgePosterior {
  double mean, precision, log_ratio;

  EdgePosterior(const NormalLaw& prior, double noise_precision, double uu, double ue)
      : precision(prior.precision + noise_precision * uu) {
    mean = (prior.precision * prior.mean + noise_precision * ue) / precision;
    log_ratio = 0.5 * (std::log(prior.precision / precision) + precision * mean * mean -
                       prior.precision * prior.mean * prior.mean);
  }

  double draw(Rng& rng) const { return mean + rng.normal() / std::sqrt(precision); }
};

}  // namespace buffet
