#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cascade.h"
#include "core/slice.h"

namespace buffet {

/// Draws the parameters that the layers of a cascade have, given all else: those of layers without
/// a unit are draws from the prior.
class CascadeParameters {
 public:
  CascadeParameters(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  void update() {
    for (std::size_t m = 0; m < cascade_.layers.size(); ++m) update_layer(static_cast<int>(m));
    update_concentration();
  }

 private:
  void update_layer(int m) {
    CascadeLayer& layer = cascade_.layers[m];
    const CascadeModel& model = cascade_.model;
    layer.of_weights = model.weights.draw(layer.count_edges(), layer.weights.sum(),
                                          layer.weights.squaredNorm(), rng_);
    layer.of_biases =
        model.biases.draw(layer.units(), layer.bias.sum(), layer.bias.squaredNorm(), rng_);
    if (model.noise_rate.learned)
      layer.noise_rate = rng_.gamma(model.noise_rate.shape + model.noise_shape * layer.units(),
                                    model.noise_rate.rate + layer.precision.sum());
    const Hyper& alpha = model.alpha_of(m);
    if (alpha.learned) {
      const double drawn = rng_.gamma(alpha.shape + layer.parents(),
                                      alpha.rate + harmonic(layer.units(), cascade_.concentration));
      // Broad priors have draws that are 0 in a double.
      layer.alpha = std::max(drawn, std::numeric_limits<double>::min());
    }
  }

  /// On the logarithm, within 1e-100 to 1e100.
  void update_concentration() {
    const Hyper& prior = cascade_.model.concentration;
    if (!prior.learned) return;
    const auto log_density = [&](double v) {
      if (std::abs(v) > 230) return -std::numeric_limits<double>::infinity();
      const double c = std::exp(v);
      double sum = prior.log_prior_of_log(c);
      for (const CascadeLayer& layer : cascade_.layers) sum += layer.log_edges(c);
      return sum;
    };
    cascade_.concentration =
        std::exp(slice_sample(std::log(cascade_.concentration), log_density, 1, rng_));
  }

  Cascade& cascade_;
  Rng& rng_;
};

}  // namespace buffet
