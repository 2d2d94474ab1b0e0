#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "normal_gamma.h"

namespace buffet {

/// tanh(x / 2), which maps a pre-activation to an activation.
inline double squash(double x) {
  return 1 - 2 / (1 + std::exp(x));
}
inline Eigen::MatrixXd squash(const Eigen::MatrixXd& x) {
  return (1 - 2 / (1 + x.array().exp())).matrix();
}

/// sum_{i = 1}^k c / (c + i - 1). Multiplied by alpha, it is the mean number of dishes that k
/// customers take.
double harmonic(int k, double concentration);

/// A unit that is not yet part of a layer.
struct CascadeUnit {
  double bias, precision;
  Eigen::VectorXd x, u;
  std::vector<std::pair<int, double>> parents;  ///< indices and weights of its parents
};

/// A layer of a cascade: its units, as columns of pre-activations x and activations u, and their
/// edges to the units of the layer above, their parents. Units have no order: when one is dropped,
/// the last one takes its place.
struct CascadeLayer {
  using Edges = Eigen::Matrix<unsigned char, Eigen::Dynamic, Eigen::Dynamic>;

  Eigen::MatrixXd x, u;  ///< N x K; the visible layer has no u
  Eigen::VectorXd bias, precision;
  Edges edges;                ///< parents x K
  Eigen::MatrixXd weights;    ///< of edges; 0 if there is no edge
  std::vector<int> children;  ///< number of children of each parent
  double alpha = 1;           ///< for the Indian buffet process of the edges
  NormalLaw of_weights, of_biases;
  double noise_rate = 1;  ///< rate of the gamma prior on precisions

  int units() const { return static_cast<int>(bias.size()); }
  int parents() const { return static_cast<int>(children.size()); }
  bool has(int parent, int k) const { return edges(parent, k) != 0; }
  int count_edges() const;

  /// Log probability of the edges under a two-parameter Indian buffet process with concentration c,
  /// for distinguishable parents, up to terms that do not depend on c.
  double log_edges(double c) const;

  void set_edge(int parent, int k, double weight);
  void clear_edge(int parent, int k);

  void add_parent();
  void drop_parent(int parent);

  void add_unit(const CascadeUnit& unit);
  void drop_unit(int k);

  /// Means of x, N x K, given the activations of the parents.
  Eigen::MatrixXd means(const Eigen::MatrixXd& above) const;

  /// Archives everything except x.
  void archive(Archive& a) {
    a(bias);
    a(precision);
    a(weights);
    std::vector<unsigned char> flat(edges.data(), edges.data() + edges.size());
    a(flat);
    a(children);
    a(alpha);
    for (NormalLaw* law : {&of_weights, &of_biases}) {
      a(law->mean);
      a(law->precision);
    }
    a(noise_rate);
    if (!a.reads()) return;
    a.check(is_sound(flat), "the edges of a layer");
    edges = Eigen::Map<const Edges>(flat.data(), weights.rows(), weights.cols());
  }

 private:
  /// True if all parts have matching sizes and every edge is 0 or 1.
  bool is_sound(const std::vector<unsigned char>& flat) const {
    if (precision.size() != units() || weights.cols() != units() || weights.rows() != parents() ||
        static_cast<Eigen::Index>(flat.size()) != weights.size())
      return false;
    std::vector<int> found(children.size(), 0);
    for (std::size_t n = 0; n < flat.size(); ++n) {
      if (flat[n] > 1) return false;
      found[n % found.size()] += flat[n];
    }
    return found == children;
  }
};

}  // namespace buffet
