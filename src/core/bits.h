#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "archive.h"

namespace buffet {

/// Number of set bits in a word. Unless compilers may use an instruction for this, they call a
/// function that is slower than the code here.
inline int popcount(std::uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555ULL;
  x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  return static_cast<int>((x * 0x0101010101010101ULL) >> 56);
}

/// A fixed number of bits, 64 per word; unused bits of the last word are 0.
class Bits {
 public:
  explicit Bits(int size) : words_((size + 63) / 64, 0) {}

  bool at(int i) const { return (words_[i >> 6] >> (i & 63)) & 1u; }
  void flip(int i) { words_[i >> 6] ^= std::uint64_t{1} << (i & 63); }
  void set(int i) { words_[i >> 6] |= std::uint64_t{1} << (i & 63); }

  /// Copies `part` into the bits from `first` on, all of which must be off.
  void put(int first, const Bits& part) {
    const std::size_t from = first >> 6;
    const int by = first & 63;
    for (std::size_t w = 0; w < part.words_.size(); ++w) {
      words_[from + w] |= part.words_[w] << by;
      const std::uint64_t over = by > 0 ? part.words_[w] >> (64 - by) : 0;
      if (over != 0) words_[from + w + 1] |= over;
    }
  }

  int count() const {
    int n = 0;
    for (auto word : words_) n += popcount(word);
    return n;
  }

  /// Number of bits set in both.
  int count_shared(const Bits& other) const {
    int n = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) n += popcount(words_[w] & other.words_[w]);
    return n;
  }

  /// The first set bit at or after i, or -1 if there is none; i may be past the last bit.
  int next(int i) const {
    const std::size_t first = i >> 6;
    for (std::size_t w = first; w < words_.size(); ++w) {
      const std::uint64_t word = w == first ? words_[w] >> (i & 63) << (i & 63) : words_[w];
      if (word != 0) return static_cast<int>(w * 64 + __builtin_ctzll(word));
    }
    return -1;
  }

  /// Calls f(i) for every set bit i, in increasing order.
  template <class F>
  void for_each(F f) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (auto word = words_[w]; word != 0; word &= word - 1)
        f(static_cast<int>(w * 64 + __builtin_ctzll(word)));
  }

  Bits& operator^=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] ^= other.words_[w];
    return *this;
  }
  Bits& operator&=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  Bits& operator|=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }

  friend Bits complement(Bits bits, int size) {
    for (auto& word : bits.words_) word = ~word;
    if (size % 64 != 0) bits.words_.back() &= (std::uint64_t{1} << (size % 64)) - 1;
    return bits;
  }

  friend bool operator==(const Bits& a, const Bits& b) { return a.words_ == b.words_; }
  friend bool operator<(const Bits& a, const Bits& b) { return a.words_ < b.words_; }

  /// Bytes that this many bits take in an archive.
  static std::size_t archived(int size) { return sizeof(long) + (size + 63) / 64 * 8; }
  /// `size` is the number of bits.
  void archive(Archive& a, int size) {
    a.of_same_size(words_, "the words of a feature");
    a.check(words_.empty() || size % 64 == 0 || words_.back() >> (size % 64) == 0,
            "the last rows of a feature");
  }

  const std::vector<std::uint64_t>& words() const { return words_; }
  std::vector<std::uint64_t>& words() { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace buffet
