#pragma once

#include <vector>

#include "cascade.h"
#include "cascade_parameters.h"
#include "core/rng.h"

namespace buffet {

/// Hidden layers of given widths: random edges with a given probability, at least one for every
/// child and every parent, with small weights; biases equal to the means of the data, precisions
/// equal to the inverse variances, and activations drawn given the layers above.
class CascadeStart {
 public:
  CascadeStart(Cascade& cascade, std::vector<int> widths, double density, Rng& rng);

  void operator()();

 private:
  void set_visible();

  void add_layer(int m);

  void connect(int m);

  void draw_values(int m);

  Cascade& cascade_;
  std::vector<int> widths_;
  double density_;
  Rng& rng_;
};

/// Sets the state of a chain to layers as in read_cascade(), for data of the same size.
void start_from(const std::vector<CascadeLayer>& layers, Cascade& cascade, Rng& rng);

}  // namespace buffet
