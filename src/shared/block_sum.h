#pragma once

#include <Eigen/Dense>

#include "core/team.h"

namespace buffet {

/// A sum over the rows of all members of a team, block by block.
class BlockSum {
 public:
  explicit BlockSum(Eigen::Index size) : block_(size) {}

  /// A block begins.
  void begin(int number) {
    end();
    number_ = number;
    block_.setZero();
  }
  /// That of the block that is under way.
  Eigen::VectorXd& block() { return block_; }

  Eigen::VectorXd total(Team& team) {
    end();
    return team.sum(sums_);
  }

 private:
  void end() {
    if (number_ >= 0) sums_.add(number_, block_);
  }

  int number_ = -1;
  Eigen::VectorXd block_;
  TreeSum sums_;
};

}  // namespace buffet
