#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace buffet {

/// A rooted tree whose leaves are the rows. Leaves come first, children before their parents, the
/// root last. A node with a single child or at distance 0 from its parent is merged with it, except
/// for the root.
class Tree {
 public:
  /// `parents` are the parents of the nodes, which are numbered from 0, rows first; -1 for the
  /// root. `lengths` are the lengths of the edges above the nodes, including an edge above the
  /// root.
  Tree(int rows, std::vector<int> parents, std::vector<double> lengths) : rows_(rows) {
    add_edge_above_root(parents, lengths);
    merge_single_children(parents, lengths);
    merge_at_no_distance(parents, lengths);
    number(parents, lengths);
    for (double t : lengths_) total_ += t;
  }

  int rows() const { return rows_; }
  int size() const { return static_cast<int>(parents_.size()); }
  int root() const { return size() - 1; }
  bool is_leaf(int v) const { return v < rows_; }
  int parent(int v) const { return parents_[v]; }
  double length(int v) const { return lengths_[v]; }
  double total_length() const { return total_; }
  const std::vector<int>& children(int v) const { return children_[v]; }

 private:
  /// The root keeps state 0: states above its edge are outside the tree.
  static void add_edge_above_root(std::vector<int>& parents, std::vector<double>& lengths) {
    const auto root = std::find(parents.begin(), parents.end(), -1) - parents.begin();
    if (lengths[root] <= 0) return;
    parents[root] = static_cast<int>(parents.size());
    parents.push_back(-1);
    lengths.push_back(0);
  }

  static std::vector<std::vector<int>> children_of(const std::vector<int>& parents) {
    std::vector<std::vector<int>> children(parents.size());
    for (std::size_t v = 0; v < parents.size(); ++v)
      if (parents[v] >= 0) children[parents[v]].push_back(static_cast<int>(v));
    return children;
  }

  static void merge_single_children(std::vector<int>& parents, std::vector<double>& lengths) {
    const auto children = children_of(parents);
    for (std::size_t v = 0; v < parents.size(); ++v)
      while (parents[v] >= 0 && children[parents[v]].size() == 1 && parents[parents[v]] >= 0) {
        lengths[v] += lengths[parents[v]];
        parents[v] = parents[parents[v]];
      }
  }

  static void merge_at_no_distance(std::vector<int>& parents, const std::vector<double>& lengths) {
    for (int& parent : parents)
      while (parent >= 0 && parents[parent] >= 0 && lengths[parent] == 0) parent = parents[parent];
  }

  /// Numbers the nodes above leaves, from the leaves to the root.
  void number(const std::vector<int>& parents, const std::vector<double>& lengths) {
    std::vector<int> waits(parents.size(), 0), numbers(parents.size(), -1), order;
    std::vector<char> used(parents.size(), 0);
    for (int i = 0; i < rows_; ++i) order.push_back(i);
    for (int i = 0; i < rows_; ++i)
      for (int v = i; v >= 0 && !used[v]; v = parents[v]) {
        used[v] = 1;
        if (parents[v] >= 0) ++waits[parents[v]];
      }
    for (std::size_t at = 0; at < order.size(); ++at) {
      const int v = order[at], p = parents[v];
      numbers[v] = static_cast<int>(at);
      if (p >= 0 && --waits[p] == 0) order.push_back(p);
    }
    for (int v : order) {
      parents_.push_back(parents[v] < 0 ? -1 : numbers[parents[v]]);
      lengths_.push_back(parents[v] < 0 ? 0 : lengths[v]);
    }
    children_ = children_of(parents_);
  }

  int rows_;
  std::vector<int> parents_;
  std::vector<double> lengths_;
  std::vector<std::vector<int>> children_;
  double total_ = 0;
};

}  // namespace buffet
