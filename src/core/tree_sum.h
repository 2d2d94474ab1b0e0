#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "archive.h"

namespace buffet {

/// A sum over numbered blocks, added up along one binary tree over their numbers, whoever has which
/// of them: rounding is then the same for all. What has been added so far is kept as the sums of
/// the largest whole subtrees.
class TreeSum {
 public:
  /// Terms are added in the order of their blocks.
  void add(int block, Eigen::VectorXd term) { add({0, block, std::move(term)}); }

  /// The sums of another, whose blocks come after these.
  void add(const TreeSum& next) {
    for (const Node& node : next.nodes_) add(node);
  }

  /// Of all blocks: subtrees that are no whole one yet are added from the first on.
  Eigen::VectorXd total() const {
    Eigen::VectorXd sum = nodes_.front().sum;
    for (std::size_t n = 1; n < nodes_.size(); ++n) sum += nodes_[n].sum;
    return sum;
  }

  void archive(Archive& a) {
    auto count = static_cast<int>(nodes_.size());
    a.number_of(count, sizeof(Node::level) + sizeof(Node::index), "the terms of a sum");
    nodes_.resize(count);
    for (Node& node : nodes_) {
      a(node);
      a.check(node.sum.size() == nodes_.front().sum.size(), "the terms of a sum");
    }
  }

 private:
  /// Blocks 2^level index to 2^level (index + 1) - 1.
  struct Node {
    int level = 0, index = 0;
    Eigen::VectorXd sum;

    bool is_followed_by(const Node& next) const {
      return level == next.level && index % 2 == 0 && next.index == index + 1;
    }
    void archive(Archive& a) {
      a(level);
      a(index);
      a(sum);
    }
  };

  void add(Node node) {
    nodes_.push_back(std::move(node));
    while (nodes_.size() > 1 && nodes_[nodes_.size() - 2].is_followed_by(nodes_.back())) {
      Node& left = nodes_[nodes_.size() - 2];
      left.sum += nodes_.back().sum;
      ++left.level;
      left.index /= 2;
      nodes_.pop_back();
    }
  }

  std::vector<Node> nodes_;
};

}  // namespace buffet
