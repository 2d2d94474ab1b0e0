#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/bits.h"
#include "core/features.h"
#include "core/team.h"
#include "gaussian_data.h"

namespace buffet {

/// Some rows of a source: `count` rows of x starting at `from`, the first of which is row `first`
/// of the source.
struct RowBlock {
  int number;  ///< among the blocks of all rows
  const GaussianData& x;
  int from, count, first;
};

/// Source of the rows of the data, block by block: either memory or a function, which needs only
/// one block in memory at a time. The blocks do not depend on how rows are divided between workers.
class Source {
 public:
  using Fetch = std::function<GaussianData(int)>;

  /// Rows per block for data in memory with `rows` rows in all: a multiple of the bits in a word,
  /// with at most 1024 blocks.
  static int block_rows(int rows) {
    int size = 4096;
    while (size < rows / 1024) size *= 2;
    return size;
  }

  /// `whole` must outlive the source.
  explicit Source(const GaussianData& whole) : Source(whole, block_rows(whole.rows()), 0) {}
  /// A source of rows divided into blocks of this size, numbered from `first_block`.
  Source(const GaussianData& whole, int block_rows, int first_block)
      : whole_(&whole), rows_(whole.rows()), first_block_(first_block) {
    for (int from = 0; from < rows_; from += block_rows)
      sizes_.push_back(std::min(block_rows, rows_ - from));
  }
  /// fetch(b) returns block b, which has sizes[b] rows.
  Source(std::vector<int> sizes, Fetch fetch);
  /// Blocks that are in memory.
  Source(std::vector<GaussianData> held, int first_block);

  int rows() const { return rows_; }
  int blocks() const { return static_cast<int>(sizes_.size()); }
  int first_block() const { return first_block_; }

  /// Calls f(block) for every block in order.
  template <class F>
  void for_each(F f) const {
    for_each([](int) { return true; }, f);
  }
  /// Calls f(block), in order, for every block for which wanted(b) is true.
  template <class Wanted, class F>
  void for_each(Wanted wanted, F f) const {
    int first = 0;
    for (int b = 0; b < blocks(); first += sizes_[b++])
      if (wanted(first_block_ + b)) visit(b, first, f);
  }

 private:
  template <class F>
  void visit(int b, int first, F f) const {
    const int number = first_block_ + b;
    if (whole_) return f(RowBlock{number, *whole_, first, sizes_[b], first});
    if (!held_.empty()) return f(RowBlock{number, held_[b], 0, sizes_[b], first});
    const GaussianData x = fetch_(b);
    f(RowBlock{number, x, 0, sizes_[b], first});
  }

  const GaussianData* whole_ = nullptr;
  std::vector<GaussianData> held_;
  std::vector<int> sizes_;
  Fetch fetch_;
  int rows_ = 0, first_block_ = 0;
};

/// The rows of linear-Gaussian data. The source has the rows of one worker; everything else refers
/// to the rows of all workers.
struct GaussianRows {
  Source source;
  int columns = 0;
  Team& team;
  double total = 0;     ///< sum of squares of the observed entries
  bool sparse = false;  ///< true if all blocks are sparse

  /// Calls also(block) for every block of the source, which is read once.
  template <class Also>
  GaussianRows(Source source_, int columns_, Team& team_, Also also);
  explicit GaussianRows(Source source_, int columns_, Team& team_ = Solo::instance());
  GaussianRows(const GaussianRows&) = delete;

  int rows() const { return rows_; }
  /// Number of blocks of all rows.
  int blocks() const { return blocks_; }
  int own_rows() const { return source.rows(); }
  /// The number of this worker's first row among all rows.
  int first_row() const { return first_row_; }
  bool complete() const { return hidden_ == 0; }
  double observed() const { return double(rows()) * columns - hidden_; }
  double root_mean_square() const { return std::sqrt(total / std::max(observed(), 1.0)); }

  /// The worker's own part of a column over all rows, or of Z; and columns over all rows, assembled
  /// from the parts of all workers.
  Bits own_part(const Bits& all) const;
  Features own_part(const Features& all) const;
  std::vector<Bits> gathered(const std::vector<Bits>& own) const;

  /// Archives columns over all rows, or Z. The bytes do not depend on how rows are divided.
  void archive(Archive& a, std::vector<Bits>& own) const;
  void archive(Archive& a, Features& own) const;
  /// Archives a matrix with one column per row. The bytes do not depend on how rows are divided.
  void archive_columns(Archive& a, Eigen::MatrixXd& own) const;

 private:
  /// Sums over all workers. own: the numbers of blocks, dense blocks and missing entries of the
  /// worker.
  void count_all(const TreeSum& squares, const Eigen::Vector3d& own);

  int rows_ = 0, first_row_ = 0, blocks_ = 0;
  double hidden_ = 0;
  std::vector<int> rows_of_;  ///< number of rows of each worker
};

template <class Also>
GaussianRows::GaussianRows(Source source_, int columns_, Team& team_, Also also)
    : source(std::move(source_)), columns(columns_), team(team_) {
  TreeSum squares;
  Eigen::Vector3d own(source.blocks(), 0, 0);
  source.for_each([&](const RowBlock& b) {
    own(1) += !b.x.is_sparse();
    own(2) += b.x.hidden_from(b.from + b.count) - b.x.hidden_from(b.from);
    squares.add(b.number, Eigen::VectorXd::Constant(1, b.x.total(b.from, b.count)));
    also(b);
  });
  count_all(squares, own);
}

/// Selected rows, in increasing order, as data in memory; sparse if all blocks are.
GaussianData some_rows(const GaussianRows& data, const std::vector<int>& rows);

}  // namespace buffet
