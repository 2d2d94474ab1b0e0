#pragma once

#include "cascade.h"
#include "core/rng.h"

namespace buffet {

/// Draws the parameters of the layers of a cascade given everything else; for layers without units
/// these are draws from the prior.
class CascadeParameters {
 public:
  CascadeParameters(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  void update();

 private:
  void update_layer(int m);

  /// Samples the logarithm of the concentration, which is limited to [1e-100, 1e100].
  void update_concentration();

  Cascade& cascade_;
  Rng& rng_;
};

}  // namespace buffet
