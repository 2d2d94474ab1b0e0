#pragma once

#include <Eigen/Dense>
#include <cstring>
#include <utility>
#include <vector>

#include "archive.h"

namespace buffet {

/// A sum over numbered blocks, added along a fixed binary tree regardless of which worker has which
/// blocks, so rounding is always the same. The partial sum is stored as the sums of the largest
/// complete subtrees.
class TreeSum {
 public:
  /// Terms are added in the order of their blocks.
  void add(int block, Eigen::VectorXd term) { add({0, block, std::move(term)}); }

  /// Adds the sums of another TreeSum, whose blocks follow these.
  void add(const TreeSum& next) {
    for (const Node& node : next.nodes_) add(node);
  }

  /// The sum over all blocks; incomplete subtrees are added from first to last.
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

/// Processes that each have some of the rows and run the same program on them. Whatever depends on
/// all rows is requested from the cluster, so every worker gets the same reply and takes the same
/// branch. Requests are made by one thread, in the same order by all workers.
class Team {
 public:
  virtual ~Team() = default;

  virtual int size() const = 0;
  /// Number of this worker; workers are numbered in the order of their rows.
  virtual int index() const = 0;

  /// The sum over the blocks of all workers.
  virtual Eigen::VectorXd sum(const TreeSum& own) = 0;
  /// The vectors of all workers, concatenated.
  virtual Eigen::VectorXd gather(const Eigen::VectorXd& own) = 0;

  /// The sum over workers of values whose sum does not depend on the order, such as integers.
  Eigen::VectorXd sum_exactly(Eigen::VectorXd own) {
    TreeSum sums;
    sums.add(index(), std::move(own));
    return sum(sums);
  }
};

/// The bytes of one worker, sent to all.
inline std::vector<unsigned char> bytes_of_member(Team& team, int member,
                                                  const std::vector<unsigned char>& own) {
  const bool gives = team.index() == member;
  const auto size = static_cast<std::size_t>(
      team.sum_exactly(Eigen::VectorXd::Constant(1, gives ? double(own.size()) : 0.0))(0));
  Eigen::VectorXd words = Eigen::VectorXd::Zero(gives ? (size + 7) / 8 : 0);
  if (gives && size > 0) std::memcpy(words.data(), own.data(), size);
  words = team.gather(words);
  std::vector<unsigned char> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), words.data(), size);
  return bytes;
}

/// Sums of several matrices at once.
inline std::vector<Eigen::MatrixXd> sum_exactly(Team& team,
                                                const std::vector<Eigen::MatrixXd>& own) {
  Eigen::Index size = 0, from = 0;
  for (const auto& m : own) size += m.size();
  Eigen::VectorXd flat(size);
  for (const auto& m : own) {
    flat.segment(from, m.size()) = Eigen::VectorXd::Map(m.data(), m.size());
    from += m.size();
  }
  flat = team.sum_exactly(std::move(flat));
  std::vector<Eigen::MatrixXd> all;
  from = 0;
  for (const auto& m : own) {
    all.push_back(Eigen::MatrixXd::Map(flat.data() + from, m.rows(), m.cols()));
    from += m.size();
  }
  return all;
}

/// A single process that has all rows.
class Solo : public Team {
 public:
  int size() const override { return 1; }
  int index() const override { return 0; }
  Eigen::VectorXd sum(const TreeSum& own) override { return own.total(); }
  Eigen::VectorXd gather(const Eigen::VectorXd& own) override { return own; }

  static Solo& instance() {
    static Solo solo;
    return solo;
  }
};

}  // namespace buffet
