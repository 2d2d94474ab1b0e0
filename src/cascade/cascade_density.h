#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "cascade.h"

namespace buffet {

/// Log densities of a cascade, and what a trace records of it.
class CascadeDensity {
 public:
  explicit CascadeDensity(const Cascade& cascade) : cascade_(cascade) {}

  /// Of the observed data, on their own scale, given the activations of layer 1.
  double log_lik() const;

  /// Of the data, the structure, as sets of units, and all that belongs to layers that have one.
  double log_joint() const;

  /// Edges of a layer to its parents, as a set of columns.
  double log_structure(int m) const;

  std::vector<double> scalars() const;
  static std::vector<std::string> names(const CascadeModel& model);

 private:
  static double log_normal(const Eigen::MatrixXd& left, const Eigen::VectorXd& precision,
                           const Eigen::VectorXd& counts);

  static double sum_log_gamma(const CascadeLayer& layer);

  /// Weights, biases and precisions, with what they depend on, and alpha. Parameters that nothing
  /// refers to are left out.
  double log_parameters(int m) const;

  const Cascade& cascade_;
};

}  // namespace buffet
