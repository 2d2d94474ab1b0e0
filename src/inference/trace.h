#pragma once

#include <cstdint>
#include <vector>

#include "../core/features.h"

namespace buffet {

/// What a chain leaves behind, append-only: scalars of every recorded sweep, and the features of
/// the kept draws, each column as its words of bits.
class Trace {
 public:
  template <class Chain>
  void record(const Chain& chain, bool keep) {
    const auto values = chain.scalars();
    scalars_.insert(scalars_.end(), values.begin(), values.end());
    ++records_;
    if (!keep) return;
    sizes_.push_back(chain.z.size());
    for (int k = 0; k < chain.z.size(); ++k) {
      const auto& words = chain.z.column(k).words();
      bits_.insert(bits_.end(), words.begin(), words.end());
    }
  }

  int records() const { return records_; }
  const std::vector<double>& scalars() const { return scalars_; }
  const std::vector<int>& sizes() const { return sizes_; }
  const std::vector<std::uint64_t>& bits() const { return bits_; }

 private:
  int records_ = 0;
  std::vector<double> scalars_;
  std::vector<int> sizes_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace buffet
