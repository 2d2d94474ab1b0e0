#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/features.h"
#include "gaussian/gaussian_moments.h"
#include "gaussian/gaussian_rows.h"

namespace buffet {

/// The features that several rows have and, for each of the worker's own rows, its singletons.
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

  /// Number of singletons of every row of all workers.
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

/// Selected columns of a matrix.
inline Eigen::MatrixXd some_columns(const Eigen::MatrixXd& m, const std::vector<int>& of) {
  Eigen::MatrixXd some(m.rows(), of.size());
  for (std::size_t n = 0; n < of.size(); ++n) some.col(n) = m.col(of[n]);
  return some;
}

/// New singletons, in the order of their rows.
class NewFeatures {
 public:
  /// For data with this many columns, and this many shared features.
  NewFeatures(int columns, int shared) : columns_(columns), shared_(shared) {}

  int size() const { return static_cast<int>(numbers_.size()) / step(); }
  /// One column per singleton: the number of its row among all rows, its loadings, and the entries
  /// and shared features of its row.
  int row(int n) const { return static_cast<int>(all()(0, n)); }
  auto loadings() const { return all().middleRows(1, columns_); }
  auto entries() const { return all().middleRows(1 + columns_, columns_); }
  auto shared() const { return all().bottomRows(shared_); }

  /// shared: the numbers of the shared features that the row has.
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
  /// Collects the singletons of all workers.
  void gather(Team& team) {
    const Eigen::VectorXd gathered =
        team.gather(Eigen::VectorXd::Map(numbers_.data(), Eigen::Index(numbers_.size())));
    numbers_.assign(gathered.data(), gathered.data() + gathered.size());
  }

  /// Extends the statistics of the shared features by the new features.
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
