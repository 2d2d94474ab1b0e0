#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "normal_gamma.h"

namespace buffet {

/// tanh(x / 2), which takes a pre-activation to an activation.
inline double squash(double x) {
  return 1 - 2 / (1 + std::exp(x));
}
inline Eigen::MatrixXd squash(const Eigen::MatrixXd& x) {
  return (1 - 2 / (1 + x.array().exp())).matrix();
}

/// sum_{i = 1}^k c / (c + i - 1): alpha times this is the mean number of dishes of k customers.
inline double harmonic(int k, double concentration) {
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += concentration / (concentration + i);
  return sum;
}

/// A unit before it is part of a layer.
struct CascadeUnit {
  double bias, precision;
  Eigen::VectorXd x, u;
  std::vector<std::pair<int, double>> parents;  ///< their numbers and weights
};

/// A layer of a cascade: its units, columns of pre-activations x and activations u, and their edges
/// to the units of the layer above, their parents. Units have no order: dropping one moves the last
/// into its place.
struct CascadeLayer {
  using Edges = Eigen::Matrix<unsigned char, Eigen::Dynamic, Eigen::Dynamic>;

  Eigen::MatrixXd x, u;  ///< N x K; the visible layer has no u
  Eigen::VectorXd bias, precision;
  Edges edges;                ///< parents x K
  Eigen::MatrixXd weights;    ///< of the edges, 0 where there is none
  std::vector<int> children;  ///< of each parent
  double alpha = 1;           ///< of the Indian buffet process of the edges
  NormalLaw of_weights, of_biases;
  double noise_rate = 1;  ///< of the gamma law of precisions

  int units() const { return static_cast<int>(bias.size()); }
  int parents() const { return static_cast<int>(children.size()); }
  bool has(int parent, int k) const { return edges(parent, k) != 0; }
  int count_edges() const {
    int n = 0;
    for (int m : children) n += m;
    return n;
  }

  /// Log probability of the edges under a two-parameter Indian buffet process with concentration c,
  /// as a set of parents that can be told apart: of what depends on c.
  double log_edges(double c) const {
    double sum = parents() * (std::log(c) - log_gamma(units() + c)) - alpha * harmonic(units(), c);
    for (int m : children) sum += log_gamma(units() - m + c);
    return sum;
  }

  void set_edge(int parent, int k, double weight) {
    children[parent] += !has(parent, k);
    edges(parent, k) = 1;
    weights(parent, k) = weight;
  }
  void clear_edge(int parent, int k) {
    children[parent] -= has(parent, k);
    edges(parent, k) = 0;
    weights(parent, k) = 0;
  }

  void add_parent() {
    edges.conservativeResize(parents() + 1, units());
    edges.bottomRows(1).setZero();
    weights.conservativeResize(parents() + 1, units());
    weights.bottomRows(1).setZero();
    children.push_back(0);
  }
  void drop_parent(int parent) {
    const int last = parents() - 1;
    edges.row(parent) = edges.row(last).eval();
    edges.conservativeResize(last, units());
    weights.row(parent) = weights.row(last).eval();
    weights.conservativeResize(last, units());
    children[parent] = children.back();
    children.pop_back();
  }

  void add_unit(const CascadeUnit& unit) {
    const int k = units();
    x.conservativeResize(unit.x.size(), k + 1);
    x.col(k) = unit.x;
    u.conservativeResize(unit.u.size(), k + 1);
    u.col(k) = unit.u;
    bias.conservativeResize(k + 1);
    bias(k) = unit.bias;
    precision.conservativeResize(k + 1);
    precision(k) = unit.precision;
    edges.conservativeResize(parents(), k + 1);
    edges.col(k).setZero();
    weights.conservativeResize(parents(), k + 1);
    weights.col(k).setZero();
    for (const auto& [parent, weight] : unit.parents) set_edge(parent, k, weight);
  }
  void drop_unit(int k) {
    for (int j = 0; j < parents(); ++j) children[j] -= has(j, k);
    const int last = units() - 1;
    const auto drop_column = [&](auto& matrix) {
      matrix.col(k) = matrix.col(last).eval();
      matrix.conservativeResize(Eigen::NoChange, last);
    };
    drop_column(x);
    drop_column(u);
    drop_column(edges);
    drop_column(weights);
    bias(k) = bias(last);
    bias.conservativeResize(last);
    precision(k) = precision(last);
    precision.conservativeResize(last);
  }

  /// What the parents say of every x, N x K, given their activations.
  Eigen::MatrixXd means(const Eigen::MatrixXd& above) const {
    Eigen::MatrixXd y = bias.transpose().replicate(x.rows(), 1);
    if (parents() > 0) y.noalias() += above * weights;
    return y;
  }

  /// All but x.
  template <class Archive>
  void archive(Archive& a) {
    a(bias);
    a(precision);
    a(weights);
    std::vector<unsigned char> flat(edges.data(), edges.data() + edges.size());
    a(flat);
    a(children);
    a(alpha);
    a(of_weights.mean);
    a(of_weights.precision);
    a(of_biases.mean);
    a(of_biases.precision);
    a(noise_rate);
    edges = Eigen::Map<const Edges>(flat.data(), weights.rows(), weights.cols());
  }
};

}  // namespace buffet
