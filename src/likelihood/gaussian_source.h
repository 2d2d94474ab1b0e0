#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "likelihood/gaussian_data.h"

namespace buffet {

/// Some rows of a source: `count` rows of x from `from` on, the first of which is row `first` of
/// the source.
struct RowBlock {
  int number;  ///< among the blocks of all rows
  const GaussianData& x;
  int from, count, first;
};

/// Where the rows of the data come from, block by block: from memory, or from a function, so that
/// no more than one of the blocks need be in memory. Which rows are a block does not depend on who
/// has them.
class Source {
 public:
  using Fetch = std::function<GaussianData(int)>;

  /// Rows of a block of data that are in memory, `rows` in all: a multiple of the bits in a word,
  /// and so many that there are at most 1024 blocks.
  static int block_rows(int rows) {
    int size = 4096;
    while (size < rows / 1024) size *= 2;
    return size;
  }

  /// `whole` must outlive the source.
  explicit Source(const GaussianData& whole) : Source(whole, block_rows(whole.rows()), 0) {}
  /// Of rows that are blocks of so many, whose numbers begin at `first_block`.
  Source(const GaussianData& whole, int block_rows, int first_block)
      : whole_(&whole), rows_(whole.rows()), first_block_(first_block) {
    for (int from = 0; from < rows_; from += block_rows)
      sizes_.push_back(std::min(block_rows, rows_ - from));
  }
  /// fetch(b) gives block b, which has sizes[b] rows.
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
  /// The same for the blocks whose numbers are wanted.
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

}  // namespace buffet
