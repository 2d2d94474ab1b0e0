#pragma once

#include <functional>
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
  Source(std::vector<int> sizes, Fetch fetch);

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
GaussianData some_rows(const Source& source, const std::vector<int>& rows);

}  // namespace buffet
