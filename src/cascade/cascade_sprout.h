#pragma once

#include <Eigen/Dense>
#include <vector>

#include "cascade.h"
#include "core/rng.h"

namespace buffet {

/// A unit that is not part of the cascade yet, with all of its parents that are not: drawn from the
/// prior as the last customer of its layer's Indian buffet process.
class CascadeSprout {
 public:
  CascadeSprout(const Cascade& cascade, int layer, Rng& rng);

  /// Is all of it within the limits of the model?
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

}  // namespace buffet
