#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "cascade_sprout.h"
#include "core/check.h"
#include "core/rng.h"
#include "edge_posterior.h"

namespace buffet {

/// Births and deaths of parents that one unit alone has: a new one is drawn from the prior with all
/// of its own ancestors, its weight integrated out.
class CascadeBirths {
 public:
  CascadeBirths(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// Visits the units of a layer: all, or of the visible one so many at random.
  void visit_layer(int m, const Check& check);

  void visit(int m, int k);

 private:
  void find_own(int m, int k);

  /// Mean number of parents that the last customer of the layer has alone.
  double rate(int m) const;

  /// What bias and parents leave of the unit's values.
  Eigen::VectorXd residual(int m, int k) const;

  EdgePosterior edge(int m, int k, const Eigen::VectorXd& u, const Eigen::VectorXd& e) const;

  void propose_birth(int m, int k);

  void propose_death(int m, int k, int parent);

  bool accept(double log_ratio) { return std::log(rng_.uniform()) < log_ratio; }

  Cascade& cascade_;
  Rng& rng_;
  std::vector<int> order_, own_;
};

}  // namespace buffet
