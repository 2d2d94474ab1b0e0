#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/features.h"
#include "gaussian/gaussian_moments.h"
#include "gaussian/gaussian_rows.h"

namespace buffet {

/// Which features several rows have and, of the member's own rows, which features each has that no
/// other row has.
struct Ownership {
  std::vector<int> shared;
  std::vector<std::vector<int>> of_rows;

  Ownership(const Features& z, int own_rows) : of_rows(own_rows) {
    for (int k = 0; k < z.size(); ++k) {
      if (z.count(k) > 1)
        shared.push_back(k);
      else if (const int i = z.column(k).next(0); i >= 0)
        of_rows[i].push_back(k);
    }
  }

  /// How many each of all rows has.
  std::vector<int> counts(const GaussianRows& data) const {
    std::vector<double> own;
    for (std::size_t i = 0; i < of_rows.size(); ++i)
      own.insert(own.end(), of_rows[i].size(), data.first_row() + int(i));
    const Eigen::VectorXd all =
        data.team.gather(Eigen::VectorXd::Map(own.data(), Eigen::Index(own.size())));
    std::vector<int> counts(data.rows());
    for (Eigen::Index n = 0; n < all.size(); ++n) ++counts[static_cast<int>(all(n))];
    return counts;
  }
};

/// Some columns of a matrix.
inline Eigen::MatrixXd some_columns(const Eigen::MatrixXd& m, const std::vector<int>& of) {
  Eigen::MatrixXd some(m.rows(), of.size());
  for (std::size_t n = 0; n < of.size(); ++n) some.col(n) = m.col(of[n]);
  return some;
}

/// New features that only one row has each, in the order of their rows.
class NewFeatures {
 public:
  /// Of data of this many columns, next to this many features that are shared.
  NewFeatures(int columns, int shared) : columns_(columns), shared_(shared) {}

  int size() const { return static_cast<int>(numbers_.size()) / step(); }
  /// One column each: which of all rows has it, its loadings, and of this row the entries and the
  /// shared features.
  int row(int n) const { return static_cast<int>(all()(0, n)); }
  auto loadings() const { return all().middleRows(1, columns_); }
  auto entries() const { return all().middleRows(1 + columns_, columns_); }
  auto shared() const { return all().bottomRows(shared_); }

  /// shared: the numbers of those that the row has.
  void add(int row, const Eigen::MatrixXd& loadings, const Eigen::VectorXd& entries,
           const std::vector<int>& shared) {
    for (Eigen::Index n = 0; n < loadings.cols(); ++n) {
      const auto from = static_cast<Eigen::Index>(numbers_.size());
      numbers_.resize(from + step(), 0);
      Eigen::Map<Eigen::VectorXd> column(numbers_.data() + from, step());
      column(0) = row;
      column.segment(1, columns_) = loadings.col(n);
      column.segment(1 + columns_, columns_) = entries;
      for (int k : shared) column(1 + 2 * columns_ + k) = 1;
    }
  }
  /// Of all members.
  void gather(Team& team) {
    const Eigen::VectorXd gathered =
        team.gather(Eigen::VectorXd::Map(numbers_.data(), Eigen::Index(numbers_.size())));
    numbers_.assign(gathered.data(), gathered.data() + gathered.size());
  }

  /// Statistics of the shared features alone become those with the new ones.
  void extend(GaussianStatistics& s) const {
    const int before = shared_, after = shared_ + size();
    s.p.conservativeResize(columns_, after);
    s.p.rightCols(size()) = entries();
    s.c.conservativeResize(after, after);
    s.c.topRightCorner(before, size()) = shared();
    s.c.bottomLeftCorner(size(), before) = shared().transpose();
    for (int n = 0; n < size(); ++n)
      for (int m = 0; m < size(); ++m) s.c(before + n, before + m) = row(n) == row(m);
  }

 private:
  int step() const { return 1 + 2 * columns_ + shared_; }
  Eigen::Map<const Eigen::MatrixXd> all() const { return {numbers_.data(), step(), size()}; }

  int columns_, shared_;
  std::vector<double> numbers_;
};

}  // namespace buffet
