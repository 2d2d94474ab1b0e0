#pragma once

#include <cmath>

#include "core/rng.h"
#include "normal_gamma.h"

namespace buffet {

/// An edge of a unit: the law of its weight given that it is there, and the log of how much better
/// the unit's values are then explained, the weight integrated out. uu and ue are the sums of the
/// parent's squared activations, and of these times what the others leave of the unit's values.
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
