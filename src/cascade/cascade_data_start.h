#pragma once

#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"
#include "sparse_components.h"

namespace buffet {

/// A start that the data suggest: a unit of layer 1 for each of their sparse components, with edges
/// to the columns where it stands out, then layer 2 from the scores of these, and so on. The widths
/// of random networks stay for hundreds of sweeps: where there are too few units they are mixtures,
/// where too many they fit noise.
class CascadeDataStart {
 public:
  CascadeDataStart(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// `check` may throw.
  void operator()(const Check& check);

 private:
  /// Components of the data, of their scores, and so on; no more than there may be units.
  void find(const Check& check);

  /// The units of layer m and what they have of the layer above.
  void set_layer(int m);

  void set_edges(int m);

  Cascade& cascade_;
  Rng& rng_;
  std::vector<SparseComponents> found_;  ///< of each layer, from the visible one up
};

}  // namespace buffet
