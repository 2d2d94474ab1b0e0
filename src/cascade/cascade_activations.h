#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "activation.h"
#include "core/check.h"
#include "core/rng.h"

namespace buffet {

/// What the units of a layer say of the activations u of their parents: -u'Tu / 2 + s'u for every
/// row, s a row of `linear`.
struct ChildrenTerms {
  Eigen::MatrixXd linear;     ///< N x parents
  Eigen::MatrixXd quadratic;  ///< T, parents x parents

  explicit ChildrenTerms(const CascadeLayer& layer);
};

/// Draws the activations of hidden layers.
class CascadeActivations {
 public:
  /// of_rows: random numbers of each row; none: all rows have those of `rng`, as the order of the
  /// units has in any case.
  CascadeActivations(Cascade& cascade, Rng& rng, std::vector<Rng> of_rows = {})
      : cascade_(cascade), rng_(rng), of_rows_(std::move(of_rows)) {}

  /// All units of layer m, in random order.
  void visit_layer(int m, const ChildrenTerms& children, const Check& check);

 private:
  void visit(CascadeLayer& layer, int k, const Eigen::VectorXd& means,
             const ChildrenTerms& children);

  Cascade& cascade_;
  Rng& rng_;
  std::vector<Rng> of_rows_;
  std::vector<int> order_;
};

}  // namespace buffet
