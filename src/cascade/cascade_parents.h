#pragma once

#include <Eigen/Dense>
#include <vector>

#include "cascade.h"
#include "core/check.h"
#include "core/rng.h"
#include "edge_posterior.h"

namespace buffet {

/// Updates the parents of the units of a layer: first the edges, with the weights integrated out
/// one at a time, then bias and weights jointly, and the noise precision. The parents' activations
/// enter through one Gram matrix for the whole layer, whose first row and column belong to the
/// bias, a parent with activation 1.
class CascadeParents {
 public:
  CascadeParents(Cascade& cascade, int m, Rng& rng);

  /// Visits all units, in random order.
  void visit_all(const Check& check);

  /// Draws the edges to parents that other units also have.
  void visit_edges(int k);

  /// Posterior of an edge given everything else except its weight.
  EdgePosterior edge(int k, int j) const;
  double prior_log_odds(int others) const { return log_odds_[others]; }

  /// Recomputes, from biases and weights, the sums of the parents' activations times the residuals
  /// of each unit.
  void set_correlations();

  void draw_weights(int k);

  void draw_precision(int k);

  /// Sum of squared residuals of the unit. If it is tiny, it is recomputed directly, because a
  /// difference of large numbers would be mostly rounding error.
  double residual_squares(int k) const;

 private:
  /// Prior log odds of an edge, by the number of other units that have the parent.
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
