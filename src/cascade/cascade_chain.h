#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "cascade.h"
#include "cascade_activations.h"
#include "cascade_births.h"
#include "cascade_parameters.h"
#include "cascade_parents.h"
#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// Log densities of a cascade, and the values recorded in its trace.
class CascadeDensity {
 public:
  explicit CascadeDensity(const Cascade& cascade) : cascade_(cascade) {}

  /// Log likelihood of the observed data, on their own scale, given the activations of layer 1.
  double log_lik() const;

  /// Log density of the data, the structure (as sets of units) and all parameters of layers with
  /// units.
  double log_joint() const;

  /// Log probability of a layer's edges to its parents, as a set of columns.
  double log_structure(int m) const;

  std::vector<double> scalars() const;
  static std::vector<std::string> names(const CascadeModel& model);

 private:
  static double log_normal(const Eigen::MatrixXd& left, const Eigen::VectorXd& precision,
                           const Eigen::VectorXd& counts);

  static double sum_log_gamma(const CascadeLayer& layer);

  /// Log density of weights, biases, precisions, their hyperparameters and alpha. Parameters of
  /// layers without units are omitted.
  double log_parameters(int m) const;

  const Cascade& cascade_;
};

/// A chain for the cascading Indian buffet process belief network (Adams, Wallach & Ghahramani
/// 2010). The visible units are the rows of its feature matrix, and the features are their edges to
/// the units of layer 1.
struct CascadeChain {
  static constexpr bool searches = false;

  Features z;
  Cascade likelihood;
  Rng rng;

  CascadeChain(const CascadeData& data, const CascadeModel& model, Rng rng_);

  /// `check` is called repeatedly and may throw.
  void sweep(const Check& check);

  std::vector<double> scalars() const { return CascadeDensity(likelihood).scalars(); }
  std::vector<std::string> scalar_names() const { return CascadeDensity::names(likelihood.model); }

  void archive(Archive& a) {
    a(likelihood);
    a(rng);
    set_features();
  }

 private:
  void draw_missing();

  void set_features();
};

}  // namespace buffet
