#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/team.h"
#include "gaussian/gaussian_data.h"
#include "gaussian/gaussian_moments.h"

namespace buffet {

/// A sum over the rows of all workers, block by block.
class BlockSum {
 public:
  explicit BlockSum(Eigen::Index size) : block_(size) {}

  /// Begins a block.
  void begin(int number) {
    end();
    number_ = number;
    block_.setZero();
  }
  /// The sum of the current block.
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

/// C = Z'Z, P = X'Z and |X|^2 over all rows, summed row by row over all workers.
class StatisticsSum {
 public:
  StatisticsSum(int columns, int size)
      : columns_(columns), size_(size), sum_(loads() + 1 + size * Eigen::Index(size)) {}

  /// Begins a new block.
  void begin(int number) { sum_.begin(number); }
  /// A row, the values of its missing entries, and its features.
  void add(const GaussianData& x, int i, const Eigen::VectorXd& hidden,
           const std::vector<int>& on) {
    Eigen::Map<Eigen::MatrixXd> p(sum_.block().data(), columns_, size_);
    for (int k : on) add_row(x, i, hidden, p.col(k));
    sum_.block()(loads()) += x.square(i) + hidden.squaredNorm();
  }
  /// Adds the row to `to`.
  static void add_row(const GaussianData& x, int i, const Eigen::VectorXd& hidden,
                      Eigen::Ref<Eigen::VectorXd> to) {
    x.add(i, 1, to);
    int h = 0;
    x.for_hidden(i, [&](int d) { to(d) += hidden(h++); });
  }

  /// z: the worker's own part, whose counts are exact regardless of the order of addition.
  GaussianStatistics total(const Features& z, Team& team) {
    Eigen::Map<Eigen::MatrixXd> c(sum_.block().data() + loads() + 1, size_, size_);
    for (int k = 0; k < size_; ++k)
      for (int l = 0; l <= k; ++l) c(k, l) = c(l, k) = z.count_shared(k, l);
    const Eigen::VectorXd sum = sum_.total(team);
    GaussianStatistics s;
    s.p = Eigen::MatrixXd::Map(sum.data(), columns_, size_);
    s.total = sum(loads());
    s.c = Eigen::MatrixXd::Map(sum.data() + loads() + 1, size_, size_);
    return s;
  }

 private:
  Eigen::Index loads() const { return Eigen::Index(columns_) * size_; }

  int columns_, size_;
  BlockSum sum_;
};

}  // namespace buffet
