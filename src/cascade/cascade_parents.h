#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "cascade.h"
#include "cholesky.h"
#include "core/bounded_gamma.h"
#include "core/normal_vector.h"
#include "edge_posterior.h"

namespace buffet {

/// What the units of a layer have of their parents: edges, with weights integrated out one at a
/// time, then bias and weights jointly, and the noise. The parents' activations enter by one Gram
/// matrix for the whole layer; its first row and column are the bias's, whose activation is 1.
class CascadeParents {
 public:
  CascadeParents(Cascade& cascade, int m, Rng& rng)
      : cascade_(cascade), layer_(cascade.layers[m]), rng_(rng) {
    const auto rows = layer_.x.rows();
    Eigen::MatrixXd above = Eigen::MatrixXd::Ones(rows, 1 + layer_.parents());
    if (layer_.parents() > 0) above.rightCols(layer_.parents()) = cascade.layers[m + 1].u;
    gram_.noalias() = above.transpose() * above;
    moments_.noalias() = above.transpose() * layer_.x;
    squares_ = layer_.x.colwise().squaredNorm();
    above_ = std::move(above);
    set_log_odds();
    set_correlations();
  }

  /// All units, in random order.
  template <class Check>
  void visit_all(Check check) {
    std::vector<int> order;
    rng_.permutation(layer_.units(), order);
    for (int k : order) {
      check();
      visit_edges(k);
      draw_weights(k);
    }
    set_correlations();
    for (int k : order) draw_precision(k);
  }

  /// Edges to the parents that other units have too.
  void visit_edges(int k) {
    rng_.permutation(layer_.parents(), order_);
    for (int j : order_) {
      const int others = layer_.children[j] - layer_.has(j, k);
      if (others > 0) visit_edge(k, j, others);
    }
  }

  /// Given all else but its weight.
  EdgePosterior edge(int k, int j) const {
    const double uu = gram_(j + 1, j + 1);
    return {layer_.of_weights, layer_.precision(k), uu,
            correlations_(j + 1, k) + layer_.weights(j, k) * uu};
  }
  double prior_log_odds(int others) const { return log_odds_[others]; }

  /// Sums of the parents' activations times what is left of each unit's values, anew from biases
  /// and weights.
  void set_correlations() {
    Eigen::MatrixXd coefficients(gram_.rows(), layer_.units());
    coefficients.row(0) = layer_.bias.transpose();
    coefficients.bottomRows(layer_.parents()) = layer_.weights;
    correlations_ = moments_;
    correlations_.noalias() -= gram_ * coefficients;
  }

  void draw_weights(int k) {
    find_present(k);
    const auto size = static_cast<Eigen::Index>(present_.size());
    const double nu = layer_.precision(k);
    Eigen::MatrixXd precision(size, size);
    Eigen::VectorXd linear(size);
    for (Eigen::Index a = 0; a < size; ++a) {
      const NormalLaw& prior = a == 0 ? layer_.of_biases : layer_.of_weights;
      for (Eigen::Index b = a; b < size; ++b)
        precision(b, a) = nu * gram_(present_[b], present_[a]);
      precision(a, a) += prior.precision;
      linear(a) = prior.precision * prior.mean + nu * moments_(present_[a], k);
    }
    cholesky_in_place(precision);
    precision.triangularView<Eigen::Lower>().solveInPlace(linear);
    add_normal(linear, 1, rng_);
    precision.transpose().triangularView<Eigen::Upper>().solveInPlace(linear);
    layer_.bias(k) = linear(0);
    for (Eigen::Index a = 1; a < size; ++a) layer_.weights(present_[a] - 1, k) = linear(a);
  }

  void draw_precision(int k) {
    const CascadeModel& model = cascade_.model;
    const double rows = static_cast<double>(layer_.x.rows());
    const BoundedGamma law{model.noise_shape + 0.5 * rows,
                           layer_.noise_rate + 0.5 * residual_squares(k), 0, model.max_precision};
    layer_.precision(k) = law.draw(layer_.precision(k), rng_);
  }

  /// Sum of squares of what is left of the unit's values. Where that is next to nothing it is
  /// summed anew: the difference of large numbers would be rounding.
  double residual_squares(int k) const {
    const auto weights = layer_.weights.col(k);
    const double explained = layer_.bias(k) * (moments_(0, k) + correlations_(0, k)) +
                             weights.dot((moments_ + correlations_).col(k).tail(weights.size()));
    const double sum = squares_(k) - explained;
    if (sum > 1e-6 * squares_(k)) return sum;
    return (layer_.x.col(k).array() - layer_.bias(k) -
            (above_.rightCols(weights.size()) * weights).array())
        .matrix()
        .squaredNorm();
  }

 private:
  /// By the number of other units that have the parent.
  void set_log_odds() {
    const int units = layer_.units();
    log_odds_.resize(units);
    for (int c = 1; c < units; ++c)
      log_odds_[c] = std::log(c / (units + cascade_.concentration - 1 - c));
  }

  void visit_edge(int k, int j, int others) {
    const EdgePosterior posterior = edge(k, j);
    const double log_odds = prior_log_odds(others) + posterior.log_ratio;
    const double before = layer_.weights(j, k);
    if (rng_.bernoulli(1 / (1 + std::exp(-log_odds))))
      layer_.set_edge(j, k, posterior.draw(rng_));
    else
      layer_.clear_edge(j, k);
    const double change = layer_.weights(j, k) - before;
    if (change != 0) correlations_.col(k) -= change * gram_.col(j + 1);
  }

  void find_present(int k) {
    present_.assign(1, 0);
    for (int j = 0; j < layer_.parents(); ++j)
      if (layer_.has(j, k)) present_.push_back(j + 1);
  }

  Cascade& cascade_;
  CascadeLayer& layer_;
  Rng& rng_;
  Eigen::MatrixXd above_, gram_, moments_, correlations_;
  Eigen::VectorXd squares_;
  std::vector<double> log_odds_;
  std::vector<int> order_, present_;
};

}  // namespace buffet
