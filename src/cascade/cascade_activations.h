#pragma once

#include <Eigen/Dense>
#include <vector>

#include "activation.h"

namespace buffet {

/// What the units of a layer say of the activations u of their parents: -u'Tu / 2 + s'u for every
/// row, s a row of `linear`.
struct ChildrenTerms {
  Eigen::MatrixXd linear;     ///< N x parents
  Eigen::MatrixXd quadratic;  ///< T, parents x parents

  explicit ChildrenTerms(const CascadeLayer& layer) {
    const Eigen::MatrixXd scaled = layer.weights * layer.precision.asDiagonal();
    quadratic.noalias() = scaled * layer.weights.transpose();
    linear.noalias() = layer.x * scaled.transpose();
    linear.rowwise() -= (scaled * layer.bias).transpose();
  }
};

/// Draws the activations of hidden layers.
class CascadeActivations {
 public:
  CascadeActivations(Cascade& cascade, Rng& rng) : cascade_(cascade), rng_(rng) {}

  /// All units of layer m, in random order.
  template <class Check>
  void visit_layer(int m, const ChildrenTerms& children, Check check) {
    const Eigen::MatrixXd means = cascade_.means(m);
    rng_.permutation(cascade_.layers[m].units(), order_);
    for (int k : order_) {
      check();
      visit(cascade_.layers[m], k, means.col(k), children);
    }
  }

 private:
  void visit(CascadeLayer& layer, int k, const Eigen::VectorXd& means,
             const ChildrenTerms& children) {
    const double weight = children.quadratic(k, k);
    const Eigen::VectorXd pull =
        children.linear.col(k) - layer.u * children.quadratic.col(k) + weight * layer.u.col(k);
    for (Eigen::Index n = 0; n < pull.size(); ++n) {
      const ActivationLaw law{means(n), layer.precision(k), weight, pull(n)};
      layer.x(n, k) = draw_activation(layer.x(n, k), law, cascade_.model.sampler, rng_);
    }
    layer.u.col(k) = squash(layer.x.col(k));
  }

  Cascade& cascade_;
  Rng& rng_;
  std::vector<int> order_;
};

}  // namespace buffet
