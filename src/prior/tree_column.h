#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "../core/bits.h"
#include "../core/tree.h"

namespace buffet {

/// Log probability that all leaves below an edge of length t are 1, given 0 above it, rate gamma,
/// and the log probability of that below the edge given 0 at its end (-Inf at a leaf).
inline double log_all_ones(double t, double gamma, double log_below) {
  if (t == 0) return log_below;
  const double stays = -gamma * t;
  return std::log(-std::expm1(stays) + std::exp(stays + log_below));
}

/// One column of ones and zeros at the leaves of a tree on which 0 turns into 1 at a rate, for good
/// (Miller, Griffiths & Jordan 2008): its probability at any rate, in O(ones) where its zeros have
/// been counted.
class TreeHistory {
 public:
  TreeHistory(const Tree& tree, const Bits& column) {
    std::vector<int> zeros(tree.size(), 0), at(tree.size(), -1);
    for (int v = 0; v < tree.size(); ++v) {
      if (tree.is_leaf(v)) zeros[v] = !column.at(v);
      if (v != tree.root()) zeros[tree.parent(v)] += zeros[v];
    }
    for (int v = 0; v < tree.root(); ++v)
      if (zeros[v] > 0)
        zero_length_ += tree.length(v);
      else
        at[v] = static_cast<int>(nodes_.size()),
        nodes_.push_back({tree.length(v), -1, tree.is_leaf(v)});
    for (int v = 0; v < tree.root(); ++v)
      if (at[v] >= 0 && tree.parent(v) != tree.root()) nodes_[at[v]].parent = at[tree.parent(v)];
    below_.resize(nodes_.size());
  }

  /// log P(column | gamma): edges above a zero stay 0, and every largest subtree without zeros
  /// turns to 1 somewhere.
  double log_prob(double gamma) const {
    double sum = -gamma * zero_length_;
    std::fill(below_.begin(), below_.end(), 0.0);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      const double below = node.leaf ? -std::numeric_limits<double>::infinity() : below_[n];
      const double log_g = log_all_ones(node.length, gamma, below);
      (node.parent < 0 ? sum : below_[node.parent]) += log_g;
    }
    return sum;
  }

  /// Log density of y = log(gamma) given the column, up to a constant, when pi = 1 - exp(-gamma)
  /// has the prior 1 / pi.
  double log_density(double y) const {
    const double gamma = std::exp(y);
    return log_prob(gamma) + y - gamma - std::log(-std::expm1(-gamma));
  }

 private:
  struct Node {
    double length;
    int parent;  ///< -1: none, or it has a zero below
    bool leaf;
  };

  double zero_length_ = 0;
  std::vector<Node> nodes_;
  mutable std::vector<double> below_;
};

/// A column with its rate: the odds of a bit cost the steps up the tree to the first other zero.
class TreeColumn {
 public:
  TreeColumn() = default;

  void set(const Tree& tree, const Bits& column) {
    zeros_.assign(tree.size(), 0);
    for (int v = 0; v < tree.size(); ++v) {
      if (tree.is_leaf(v)) zeros_[v] = !column.at(v);
      if (v != tree.root()) zeros_[tree.parent(v)] += zeros_[v];
    }
  }

  void set_rate(const Tree& tree, double log_gamma) {
    log_rate_ = log_gamma;
    gamma_ = std::exp(log_gamma);
    log_g_.resize(tree.size());
    below_.assign(tree.size(), 0);
    for (int v = 0; v < tree.root(); ++v) {
      if (tree.is_leaf(v)) below_[v] = -std::numeric_limits<double>::infinity();
      log_g_[v] = log_all_ones(tree.length(v), gamma_, below_[v]);
      below_[tree.parent(v)] += log_g_[v];
    }
  }

  double log_rate() const { return log_rate_; }

  void flip(const Tree& tree, int i) {
    const int by = zeros_[i] > 0 ? -1 : 1;
    for (int v = i; v >= 0; v = tree.parent(v)) zeros_[v] += by;
  }

  /// Log odds of 1 at leaf i, given the other leaves, one of which at least is 1.
  double log_odds(const Tree& tree, int i) const {
    const int own = zeros_[i];
    double length = tree.length(i), siblings = 0;
    int v = i;
    for (int p = tree.parent(v); p != tree.root() && zeros_[p] == own; p = tree.parent(v)) {
      siblings += siblings_of(tree, v, p);
      v = p;
      length += tree.length(v);
    }
    return log_g_[v] + gamma_ * length - siblings;
  }

 private:
  /// Sum of log g over the siblings of v, children of p.
  double siblings_of(const Tree& tree, int v, int p) const {
    if (std::isfinite(below_[p])) return below_[p] - log_g_[v];
    double sum = 0;
    for (int c : tree.children(p))
      if (c != v) sum += log_g_[c];
    return sum;
  }

  double log_rate_ = 0, gamma_ = 1;
  std::vector<int> zeros_;             ///< leaves below each node that are 0
  std::vector<double> log_g_, below_;  ///< log P(all ones below | 0 above the edge, or at its end)
};

}  // namespace buffet
