#pragma once

#include <cmath>
#include <vector>

#include "core/bits.h"
#include "core/log_sum.h"
#include "tree.h"

namespace buffet {

/// Probability that all leaves below an edge of length t are 1, given rate gamma and 0 at its upper
/// end. below: the probability given 0 at its lower end, which is 0 at a leaf.
inline double all_ones(double t, double gamma, double below) {
  const double turns = -std::expm1(-gamma * t);
  return turns + (1 - turns) * below;
}

/// Number of leaves below each node that are 0.
inline std::vector<int> count_zeros(const Tree& tree, const Bits& column) {
  std::vector<int> zeros(tree.size(), 0);
  for (int v = 0; v < tree.size(); ++v) {
    if (tree.is_leaf(v)) zeros[v] = !column.at(v);
    if (v != tree.root()) zeros[tree.parent(v)] += zeros[v];
  }
  return zeros;
}

/// One column of ones and zeros at the leaves of a tree on which 0 changes to 1 at some rate,
/// permanently (Miller, Griffiths & Jordan 2008): computes its probability at any rate in O(ones).
class TreeHistory {
 public:
  TreeHistory(const Tree& tree, const Bits& column)
      : TreeHistory(tree, count_zeros(tree, column)) {}

  TreeHistory(const Tree& tree, const std::vector<int>& zeros) {
    std::vector<int> at(tree.size(), -1);
    for (int v = 0; v < tree.root(); ++v) {
      if (zeros[v] > 0) {
        zero_length_ += tree.length(v);
        continue;
      }
      at[v] = static_cast<int>(nodes_.size());
      nodes_.push_back({tree.length(v), -1, tree.is_leaf(v) ? 0.0 : 1.0});
      for (int c : tree.children(v)) nodes_[at[c]].parent = at[v];
    }
    below_.resize(nodes_.size());
    for (const Node& node : nodes_) origins_ += node.parent < 0;
  }

  /// The smallest possible number of edges with a change to 1. The sd of log(gamma) given the
  /// column is about 1 / sqrt(origins).
  int origins() const { return origins_; }

  /// log P(column | gamma): there is no change on edges above a zero, and every maximal subtree
  /// without zeros changes to 1 somewhere.
  double log_prob(double gamma) const {
    LogProduct ones;
    for (std::size_t n = 0; n < nodes_.size(); ++n) below_[n] = nodes_[n].below;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const double g = all_ones(nodes_[n].length, gamma, below_[n]);
      if (nodes_[n].parent < 0)
        ones.multiply(g);
      else
        below_[nodes_[n].parent] *= g;
    }
    return ones.log() - gamma * zero_length_;
  }

  /// Log density of y = log(gamma) given the column, up to a constant, if pi = 1 - exp(-gamma) has
  /// the prior 1 / pi.
  double log_density(double y) const {
    const double gamma = std::exp(y);
    return log_prob(gamma) + y - gamma - std::log(-std::expm1(-gamma));
  }

 private:
  struct Node {
    double length;
    int parent;    ///< -1 if there is none or it has a zero below it
    double below;  ///< initial value of the product over children: 1; 0 at a leaf
  };

  double zero_length_ = 0;
  int origins_ = 0;
  std::vector<Node> nodes_;
  mutable std::vector<double> below_;
};

/// A column with its rate. Computing the odds of a bit takes one step per edge up the tree, as far
/// as the first other zero.
class TreeColumn {
 public:
  void set(const Tree& tree, const Bits& column) { zeros_ = count_zeros(tree, column); }

  void set_rate(const Tree& tree, double log_gamma) {
    log_rate_ = log_gamma;
    gamma_ = std::exp(log_gamma);
    all_ones_.resize(tree.size());
    below_.resize(tree.size());
    for (int v = 0; v < tree.size(); ++v) below_[v] = tree.is_leaf(v) ? 0 : 1;
    for (int v = 0; v < tree.root(); ++v) {
      all_ones_[v] = all_ones(tree.length(v), gamma_, below_[v]);
      below_[tree.parent(v)] *= all_ones_[v];
    }
  }

  double log_rate() const { return log_rate_; }
  TreeHistory history(const Tree& tree) const { return TreeHistory(tree, zeros_); }

  void flip(const Tree& tree, int i) {
    const int by = zeros_[i] > 0 ? -1 : 1;
    for (int v = i; v >= 0; v = tree.parent(v)) zeros_[v] += by;
  }

  /// Log odds of 1 at leaf i, given the other leaves, at least one of which is 1.
  double log_odds(const Tree& tree, int i) const {
    const int own = zeros_[i];
    double length = tree.length(i), log_siblings = 0;
    int v = i;
    for (int p = tree.parent(v); p != tree.root() && zeros_[p] == own; p = tree.parent(v)) {
      log_siblings += std::log(siblings(tree, v, p));
      v = p;
      length += tree.length(v);
    }
    return std::log(all_ones_[v]) + gamma_ * length - log_siblings;
  }

 private:
  /// Probability that all leaves below the siblings of v, which is a child of p, are 1 given 0 at
  /// p.
  double siblings(const Tree& tree, int v, int p) const {
    if (below_[p] > 1e-290) return below_[p] / all_ones_[v];
    double product = 1;
    for (int c : tree.children(p))
      if (c != v) product *= all_ones_[c];
    return product;
  }

  double log_rate_ = 0, gamma_ = 1;
  std::vector<int> zeros_;                ///< number of leaves below each node that are 0
  std::vector<double> all_ones_, below_;  ///< P(all below are 1 | 0 at the upper end of the edge,
                                          ///< or the lower)
};

}  // namespace buffet
