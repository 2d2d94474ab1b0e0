#pragma once

#include <Eigen/Dense>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "likelihood/gaussian_data.h"

namespace buffet {

/// Where the rows of the data come from: from memory, as one block, or block by block from a
/// function, so that no more than one of them need be in memory.
class Source {
 public:
  using Fetch = std::function<GaussianData(int)>;

  /// `whole` must outlive the source.
  explicit Source(const GaussianData& whole) : whole_(&whole), rows_(whole.rows()) {}
  /// fetch(b) gives block b, which has sizes[b] rows.
  Source(std::vector<int> sizes, Fetch fetch) : sizes_(std::move(sizes)), fetch_(std::move(fetch)) {
    for (int size : sizes_) rows_ += size;
  }

  int rows() const { return rows_; }
  bool in_memory() const { return whole_ != nullptr; }

  /// Calls f(first row, block) for every block in order.
  template <class F>
  void for_each(F f) const {
    if (in_memory()) {
      f(0, *whole_);
      return;
    }
    int from = 0;
    for (std::size_t b = 0; b < sizes_.size(); from += sizes_[b++])
      f(from, fetch_(static_cast<int>(b)));
  }

 private:
  const GaussianData* whole_ = nullptr;
  std::vector<int> sizes_;
  Fetch fetch_;
  int rows_ = 0;
};

/// Some rows of a source, in increasing order, in memory; sparse where all blocks are.
inline GaussianData some_rows(const Source& source, const std::vector<int>& rows) {
  struct Entry {
    int row, column;
    double value;
  };
  std::vector<Entry> entries;
  bool sparse = true;
  int columns = 0;
  std::size_t next = 0;
  source.for_each([&](int from, const GaussianData& block) {
    sparse = sparse && block.is_sparse();
    columns = block.columns();
    for (; next < rows.size() && rows[next] < from + block.rows(); ++next) {
      const int row = static_cast<int>(next);
      block.for_entries(rows[next] - from, [&](int d, double value) {
        entries.push_back({row, d, value});
      });
    }
  });
  const auto count = static_cast<Eigen::Index>(rows.size());
  if (!sparse) {
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(columns, count);
    for (const Entry& e : entries) x(e.column, e.row) = e.value;
    return GaussianData(x, false);
  }
  std::vector<Eigen::Triplet<double>> triplets;
  for (const Entry& e : entries) triplets.emplace_back(e.column, e.row, e.value);
  GaussianData::Sparse x(columns, count);
  x.setFromTriplets(triplets.begin(), triplets.end());
  return GaussianData(std::move(x), false);
}

}  // namespace buffet
