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

/// A chain of the cascading Indian buffet process belief network (Adams, Wallach & Ghahramani
/// 2010). Its features are the edges from the visible units, its rows, to those of layer 1.
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
