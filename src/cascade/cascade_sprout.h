#pragma once

#include <vector>

#include "cascade.h"
#include "core/normal_vector.h"
#include "core/rng.h"

namespace buffet {

/// A unit that is not part of the cascade yet, with all of its parents that are not: drawn from the
/// prior as the last customer of its layer's Indian buffet process.
class CascadeSprout {
 public:
  CascadeSprout(const Cascade& cascade, int layer, Rng& rng)
      : cascade_(cascade), rng_(rng), levels_(cascade.layers.size()) {
    room_ = cascade.model.max_units - cascade.hidden_units();
    draw(layer);
  }

  /// Is all of it within the limits of the model?
  bool fits() const { return room_ >= 0 && !refused_; }
  const Eigen::VectorXd& activations(int layer) const { return levels_[layer].units.front().u; }

  void graft(Cascade& cascade) const {
    for (int m = static_cast<int>(levels_.size()) - 1; m > 0; --m)
      for (const CascadeUnit& unit : levels_[m].units) cascade.add_unit(m, unit);
  }

 private:
  struct Level {
    std::vector<CascadeUnit> units;
    std::vector<int> children;  ///< of each unit in the layer above, those of new ones last
    bool begun = false;
  };

  /// Number of the new unit in its layer.
  int draw(int m) {
    if (m > cascade_.model.max_layers) refused_ = true;
    if (refused_ || --room_ < 0) return 0;
    const CascadeLayer& layer = cascade_.layers[m];
    Level& level = levels_[m];
    if (!level.begun) level.children = layer.children;
    level.begun = true;
    CascadeUnit unit;
    draw_parents(m, unit);
    if (!fits()) return 0;
    draw_values(m, unit);
    level.units.push_back(unit);
    return layer.units() + static_cast<int>(level.units.size()) - 1;
  }

  void draw_parents(int m, CascadeUnit& unit) {
    const CascadeLayer& layer = cascade_.layers[m];
    Level& level = levels_[m];
    const double c = cascade_.concentration;
    const double customers = layer.units() + static_cast<double>(level.units.size());
    const int dishes = static_cast<int>(level.children.size());
    for (int j = 0; j < dishes; ++j)
      if (rng_.bernoulli(level.children[j] / (customers + c))) {
        ++level.children[j];
        unit.parents.emplace_back(j, 0.0);
      }
    for (int n = rng_.poisson(layer.alpha * c / (customers + c)); n > 0 && fits(); --n) {
      unit.parents.emplace_back(draw(m + 1), 0.0);
      level.children.push_back(1);
    }
  }

  void draw_values(int m, CascadeUnit& unit) {
    const CascadeLayer& layer = cascade_.layers[m];
    const auto normal = [&](const NormalLaw& law) {
      return law.mean + rng_.normal() / std::sqrt(law.precision);
    };
    unit.bias = normal(layer.of_biases);
    unit.precision = rng_.gamma(cascade_.model.noise_shape, layer.noise_rate);
    if (unit.precision > cascade_.model.max_precision) refused_ = true;
    unit.x = Eigen::VectorXd::Constant(cascade_.rows(), unit.bias);
    for (auto& [parent, weight] : unit.parents) {
      weight = normal(layer.of_weights);
      unit.x += weight * activations_of(m + 1, parent);
    }
    add_normal(unit.x, 1 / std::sqrt(unit.precision), rng_);
    unit.u = squash(unit.x);
  }

  Eigen::VectorXd activations_of(int m, int k) const {
    const int known = cascade_.layers[m].units();
    return k < known ? Eigen::VectorXd(cascade_.layers[m].u.col(k)) : levels_[m].units[k - known].u;
  }

  const Cascade& cascade_;
  Rng& rng_;
  std::vector<Level> levels_;
  int room_;
  bool refused_ = false;
};

}  // namespace buffet
