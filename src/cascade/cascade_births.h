#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"
#include "edge_posterior.h"

namespace buffet {

/// A unit that is not part of the cascade yet, with all of its parents that are not: drawn from the
/// prior as the last customer of its layer's Indian buffet process.
class CascadeSprout {
 public:
  CascadeSprout(const Cascade& cascade, int layer, Rng& rng);

  /// True if all of it is within the limits of the model.
  bool fits() const { return room_ >= 0 && !refused_; }
  const Eigen::VectorXd& activations(int layer) const { return levels_[layer].units.front().u; }

  void graft(Cascade& cascade) const;

 private:
  struct Level {
    std::vector<CascadeUnit> units;
    std::vector<int> children;  ///< of each unit in the layer above, those of new ones last
    bool begun = false;
  };

  /// Number of the new unit in its layer.
  int draw(int m);

  void draw_parents(int m, CascadeUnit& unit);

  void draw_values(int m, CascadeUnit& unit);

  Eigen::VectorXd activations_of(int m, int k) const;

  const Cascade& cascade_;
  Rng& rng_;
  std::vector<Level> levels_;
  int room_;
  bool refused_ = false;
};

/// Births and deaths of parents that one unit alone has: a new one is drawn from the prior with all
/// of its own ancestors, its weight integrated out.
class CascadeBirths {
 public:
  CascadeBirths(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// Visits the units of a layer: all, or of the visible one this many at random.
  void visit_layer(int m, const Check& check);

  void visit(int m, int k);

 private:
  void find_own(int m, int k);

  /// Mean number of parents that the last customer of the layer has alone.
  double rate(int m) const;

  /// Residuals of the unit's values after bias and parents.
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
