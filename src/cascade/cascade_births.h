#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"
#include "edge_posterior.h"

namespace buffet {

/// A unit that is not yet part of the cascade, with all its new ancestors. It is drawn from the
/// prior as the last customer of its layer's Indian buffet process.
class CascadeSprout {
 public:
  CascadeSprout(const Cascade& cascade, int layer, Rng& rng);

  /// True if all its units are within the limits of the model.
  bool fits() const { return room_ >= 0 && !refused_; }
  const Eigen::VectorXd& activations(int layer) const { return levels_[layer].units.front().u; }

  void graft(Cascade& cascade) const;

 private:
  struct Level {
    std::vector<CascadeUnit> units;
    std::vector<int> children;  ///< children of each unit of the layer above, new units last
    bool begun = false;
  };

  /// Returns the number of the new unit in its layer.
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

/// Births and deaths of parents with a single child: a new parent is drawn from the prior with all
/// its new ancestors, and its weight is integrated out.
class CascadeBirths {
 public:
  CascadeBirths(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// Visits all units of a hidden layer, or a limited number of visible units chosen at random.
  void visit_layer(int m, const Check& check);

  void visit(int m, int k);

 private:
  void find_own(int m, int k);

  /// Prior mean number of parents that only the last customer of the layer has.
  double rate(int m) const;

  /// Residuals of the unit's values given its bias and parents.
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
