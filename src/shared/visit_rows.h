#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "gaussian/gaussian_rows.h"

namespace buffet {

/// A row being visited.
struct VisitedRow {
  const GaussianData& x;
  int i;       ///< in x
  int own;     ///< among the worker's own rows
  int number;  ///< among all rows

  /// The values, one per column, with 0 for missing entries.
  Eigen::VectorXd observed(Eigen::VectorXd values) const {
    x.for_hidden(i, [&](int d) { values(d) = 0; });
    return values;
  }

  /// Residual of the row given the features in `on` with loadings a (D x K); 0 for missing entries.
  Eigen::VectorXd without(const Eigen::MatrixXd& a, const std::vector<int>& on) const {
    Eigen::VectorXd rest = Eigen::VectorXd::Zero(a.rows());
    x.add(i, 1, rest);
    for (int k : on) rest -= a.col(k);
    return observed(std::move(rest));
  }
};

/// Visits to the worker's own rows, each with its scores for these loadings (D x K).
struct RowVisits {
  const GaussianRows& data;
  const Eigen::MatrixXd& a;
  const Check& check;

  /// Calls visit(row, scores), block by block, and block(number) before each block.
  template <class Block, class Visit>
  void each(Block block, Visit visit) const {
    constexpr int at_once = 512;
    data.source.for_each([&](const RowBlock& b) {
      block(b.number);
      for (int from = 0; from < b.count; from += at_once) {
        check();
        const int count = std::min(at_once, b.count - from);
        const Eigen::MatrixXd scores = b.x.times_rows(a, b.from + from, count);
        for (int n = 0; n < count; ++n) {
          const int own = b.first + from + n;
          visit(VisitedRow{b.x, b.from + from + n, own, data.first_row() + own}, scores.col(n));
        }
      }
    });
  }
};

/// The features that row i has.
inline void list_on(const Features& z, int i, std::vector<int>& on) {
  on.clear();
  for (int k = 0; k < z.size(); ++k)
    if (z.at(i, k)) on.push_back(k);
}

}  // namespace buffet
