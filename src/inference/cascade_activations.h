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

/// New activations of all units of hidden layer m, units in random order.
template <class Check>
void draw_activations(Cascade& cascade, int m, const ChildrenTerms& children, Rng& rng,
                      Check check) {
  CascadeLayer& layer = cascade.layers[m];
  const Eigen::MatrixXd means = cascade.means(m);
  std::vector<int> order;
  rng.permutation(layer.units(), order);
  for (int k : order) {
    check();
    const double weight = children.quadratic(k, k);
    const Eigen::VectorXd pull =
        children.linear.col(k) - layer.u * children.quadratic.col(k) + weight * layer.u.col(k);
    for (Eigen::Index n = 0; n < pull.size(); ++n) {
      const ActivationLaw law{means(n, k), layer.precision(k), weight, pull(n)};
      layer.x(n, k) = draw_activation(layer.x(n, k), law, cascade.model.sampler, rng);
    }
    layer.u.col(k) = squash(layer.x.col(k));
  }
}

}  // namespace buffet
