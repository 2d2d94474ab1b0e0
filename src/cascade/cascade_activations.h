#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"

namespace buffet {

/// Full conditional of one pre-activation x: N(mean, 1 / precision) given its parents, times the
/// factor exp(pull u - weight u^2 / 2), u = squash(x), from its children, however many there are.
struct ActivationLaw {
  double mean, precision, weight, pull;

  double log_children(double x) const {
    const double u = squash(x);
    return u * (pull - 0.5 * weight * u);
  }
  double log_density(double x) const {
    return log_children(x) - 0.5 * precision * (x - mean) * (x - mean);
  }
  double sd() const { return 1 / std::sqrt(precision); }
};

/// Slice sampling with stepping out and shrinkage. A change in x changes u, through which x affects
/// the children, by at most half as much, and by far less near the ends of the range of u. The
/// width is therefore at least a tenth of the width given only the parents.
double slice_activation(double x, const ActivationLaw& law, Rng& rng);

/// Multiple-try Metropolis with five proposals given the parents (Adams et al.; Liu, Liang & Wong
/// 2000).
double multiple_try_activation(double x, const ActivationLaw& law, Rng& rng);

/// Elliptical slice sampling (Murray, Adams & MacKay 2010).
double elliptical_activation(double x, const ActivationLaw& law, Rng& rng);

double draw_activation(double x, const ActivationLaw& law, ActivationSampler sampler, Rng& rng);

/// The terms of the layer's log density that depend on the activations u of its parents: -u'Tu / 2
/// + s'u for every row, where s is a row of `linear`.
struct ChildrenTerms {
  Eigen::MatrixXd linear;     ///< N x parents
  Eigen::MatrixXd quadratic;  ///< T, parents x parents

  explicit ChildrenTerms(const CascadeLayer& layer);
};

/// Draws the activations of hidden layers.
class CascadeActivations {
 public:
  /// of_rows: a random number generator for each row; if empty, all rows use `rng`, which always
  /// determines the order of the units.
  CascadeActivations(Cascade& cascade, Rng& rng, std::vector<Rng> of_rows = {})
      : cascade_(cascade), rng_(rng), of_rows_(std::move(of_rows)) {}

  /// Visits all units of layer m, in random order.
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
