#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/features.h"

namespace buffet {

/// The append-only record of a chain: scalars of every recorded sweep, and the features of the
/// saved draws (each column as words of bits), with loadings and bytes if these are in the state.
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
    if constexpr (std::decay_t<decltype(chain.likelihood)>::keeps_loadings) {
      const auto& a = chain.likelihood.loadings();
      loadings_.insert(loadings_.end(), a.data(), a.data() + a.size());
    }
    if constexpr (KeepsBytes<std::decay_t<decltype(chain.likelihood)>>::value) {
      const auto bytes = chain.likelihood.bytes_kept();
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      byte_counts_.push_back(static_cast<int>(bytes.size()));
    }
  }

  int records() const { return records_; }
  const std::vector<double>& scalars() const { return scalars_; }
  const std::vector<int>& sizes() const { return sizes_; }
  const std::vector<std::uint64_t>& bits() const { return bits_; }
  /// D x K for each saved draw.
  const std::vector<double>& loadings() const { return loadings_; }
  /// Bytes of the saved draws, and how many each draw has.
  const std::vector<unsigned char>& bytes() const { return bytes_; }
  const std::vector<int>& byte_counts() const { return byte_counts_; }

 private:
  template <class Likelihood, class = void>
  struct KeepsBytes : std::false_type {};
  template <class Likelihood>
  struct KeepsBytes<Likelihood, std::enable_if_t<Likelihood::keeps_bytes>> : std::true_type {};

  int records_ = 0;
  std::vector<double> scalars_;
  std::vector<int> sizes_;
  std::vector<std::uint64_t> bits_;
  std::vector<double> loadings_;
  std::vector<unsigned char> bytes_;
  std::vector<int> byte_counts_;
};

}  // namespace buffet
