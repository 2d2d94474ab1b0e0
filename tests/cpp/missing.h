#pragma once

#include <vector>

#include "draws.h"
#include "gaussian/gaussian_rows.h"

namespace test {

/// N x D data in which entries are missing in several ways: single entries, a row, a column, and
/// rows and columns with identical patterns.
inline Eigen::MatrixXd hide_some(Eigen::MatrixXd x, Rng& rng) {
  const double none = std::nan("");
  const auto rows = x.rows(), columns = x.cols();
  if (rng.bernoulli(0.7)) x = with_missing(x, 0.15, rng);
  if (rng.bernoulli(0.3)) x.row(rng.below(static_cast<int>(rows))).setConstant(none);
  if (rng.bernoulli(0.3)) x.col(rng.below(static_cast<int>(columns))).setConstant(none);
  for (int i = 2; i < rows; i += 3)
    for (int d = 0; d < columns; ++d)
      if (std::isnan(x(i - 1, d))) x(i, d) = none;
  if (columns > 1 && rng.bernoulli(0.5))
    for (int i = 0; i < rows; ++i) x(i, columns - 1) = x(i, 0);
  return x;
}

/// The rows of x (N x D) from `from` on, as a dense matrix or without zeros.
inline buffet::GaussianData rows_of(const Eigen::MatrixXd& x, int from, int count,
                                    bool sparse = false) {
  const Eigen::MatrixXd block = x.middleRows(from, count).transpose();
  if (!sparse) return buffet::GaussianData(block, false);
  buffet::GaussianData::Sparse entries = block.sparseView();
  return buffet::GaussianData(std::move(entries), false);
}

/// x in blocks of these sizes.
inline buffet::Source in_blocks(const Eigen::MatrixXd& x, const std::vector<int>& sizes,
                                bool sparse = false) {
  std::vector<int> from{0};
  for (int size : sizes) from.push_back(from.back() + size);
  return buffet::Source(sizes,
                        [=](int b) { return rows_of(x, from[b], from[b + 1] - from[b], sparse); });
}

/// The sizes of random blocks, some of them empty.
inline std::vector<int> random_sizes(int rows, Rng& rng) {
  std::vector<int> sizes;
  for (int left = rows; left > 0; left -= sizes.back()) sizes.push_back(rng.below(left + 1));
  return sizes;
}

inline Eigen::MatrixXd zero_missing(const Eigen::MatrixXd& x) {
  return x.unaryExpr([](double v) { return std::isnan(v) ? 0.0 : v; });
}

}  // namespace test
