#pragma once

#include <Eigen/Dense>
#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"
#include "edge_posterior.h"

namespace buffet {

/// What the units of a layer have of their parents: edges, with weights integrated out one at a
/// time, then bias and weights jointly, and the noise. The parents' activations enter by one Gram
/// matrix for the whole layer; its first row and column are the bias's, whose activation is 1.
class CascadeParents {
 public:
  CascadeParents(Cascade& cascade, int m, Rng& rng);

  /// All units, in random order.
  void visit_all(const Check& check);

  /// Edges to the parents that other units have too.
  void visit_edges(int k);

  /// Given everything else except its weight.
  EdgePosterior edge(int k, int j) const;
  double prior_log_odds(int others) const { return log_odds_[others]; }

  /// Sums of the parents' activations times what is left of each unit's values, anew from biases
  /// and weights.
  void set_correlations();

  void draw_weights(int k);

  void draw_precision(int k);

  /// Sum of squares of the residuals of the unit's values. If it is tiny, it is summed again,
  /// because the difference of large numbers would be rounding error.
  double residual_squares(int k) const;

 private:
  /// By the number of other units that have the parent.
  void set_log_odds();

  void visit_edge(int k, int j, int others);

  void find_present(int k);

  Cascade& cascade_;
  CascadeLayer& layer_;
  Rng& rng_;
  Eigen::MatrixXd above_, gram_, moments_, correlations_;
  Eigen::VectorXd squares_;
  std::vector<double> log_odds_;
  std::vector<int> order_, present_;
};

}  // namespace buffet
