#pragma once

#include <algorithm>
#include <vector>

#include "cascade_sprout.h"
#include "edge_posterior.h"

namespace buffet {

/// Births and deaths of parents that one unit alone has: a new one is drawn from the prior with all
/// of its own ancestors, its weight integrated out.
class CascadeBirths {
 public:
  CascadeBirths(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// Visits the units of a layer: all, or of the visible one so many at random.
  template <class Check>
  void visit_layer(int m, Check check) {
    if (m >= cascade_.model.max_layers) return;
    rng_.permutation(cascade_.layers[m].units(), order_);
    if (m == 0 && cascade_.model.visible_births < static_cast<int>(order_.size()))
      order_.resize(cascade_.model.visible_births);
    for (int k : order_) {
      check();
      visit(m, k);
    }
  }

  void visit(int m, int k) {
    find_own(m, k);
    const bool birth = rng_.bernoulli(0.5);
    if (birth)
      propose_birth(m, k);
    else if (!own_.empty())
      propose_death(m, k, own_[rng_.below(static_cast<int>(own_.size()))]);
  }

 private:
  void find_own(int m, int k) {
    const CascadeLayer& layer = cascade_.layers[m];
    own_.clear();
    for (int j = 0; j < layer.parents(); ++j)
      if (layer.children[j] == 1 && layer.has(j, k)) own_.push_back(j);
  }

  /// Mean number of parents that the last customer of the layer has alone.
  double rate(int m) const {
    const CascadeLayer& layer = cascade_.layers[m];
    const double c = cascade_.concentration;
    return layer.alpha * c / (c + layer.units() - 1);
  }

  /// What bias and parents leave of the unit's values.
  Eigen::VectorXd residual(int m, int k) const {
    const CascadeLayer& layer = cascade_.layers[m];
    Eigen::VectorXd e = layer.x.col(k).array() - layer.bias(k);
    for (int j = 0; j < layer.parents(); ++j)
      if (layer.has(j, k)) e -= layer.weights(j, k) * cascade_.layers[m + 1].u.col(j);
    return e;
  }

  EdgePosterior edge(int m, int k, const Eigen::VectorXd& u, const Eigen::VectorXd& e) const {
    const CascadeLayer& layer = cascade_.layers[m];
    return {layer.of_weights, layer.precision(k), u.squaredNorm(), u.dot(e)};
  }

  void propose_birth(int m, int k) {
    if (m == 0 && cascade_.layers[1].units() >= cascade_.model.max_features) return;
    const CascadeSprout sprout(cascade_, m + 1, rng_);
    if (!sprout.fits()) return;
    const EdgePosterior to = edge(m, k, sprout.activations(m + 1), residual(m, k));
    const double log_prior = std::log(rate(m) / (static_cast<double>(own_.size()) + 1));
    if (!accept(to.log_ratio + log_prior)) return;
    sprout.graft(cascade_);
    CascadeLayer& layer = cascade_.layers[m];
    layer.set_edge(layer.parents() - 1, k, to.draw(rng_));
  }

  void propose_death(int m, int k, int parent) {
    const CascadeLayer& layer = cascade_.layers[m];
    const Eigen::VectorXd u = cascade_.layers[m + 1].u.col(parent);
    const Eigen::VectorXd e = residual(m, k) + layer.weights(parent, k) * u;
    const double log_prior = std::log(static_cast<double>(own_.size()) / rate(m));
    if (accept(log_prior - edge(m, k, u, e).log_ratio)) cascade_.drop_unit(m + 1, parent);
  }

  bool accept(double log_ratio) { return std::log(rng_.uniform()) < log_ratio; }

  Cascade& cascade_;
  Rng& rng_;
  std::vector<int> order_, own_;
};

}  // namespace buffet
