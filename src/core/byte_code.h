#pragma once

#include <cstring>
#include <utility>
#include <vector>

namespace buffet {

/// Draws as bytes. Whole numbers have seven bits a byte, the last of them below 128; reals are in
/// single precision.
class ByteWriter {
 public:
  void number(unsigned n) {
    for (; n >= 128; n >>= 7) bytes_.push_back(static_cast<unsigned char>(n | 128));
    bytes_.push_back(static_cast<unsigned char>(n));
  }
  /// One of increasing numbers, by how far it is from the one before.
  void next(int index, int& before) {
    number(static_cast<unsigned>(index - before));
    before = index;
  }
  void real(double value) {
    const auto single = static_cast<float>(value);
    unsigned char parts[sizeof single];
    std::memcpy(parts, &single, sizeof single);
    bytes_.insert(bytes_.end(), parts, parts + sizeof single);
  }
  std::vector<unsigned char> take() { return std::move(bytes_); }

 private:
  std::vector<unsigned char> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(const unsigned char* from) : at_(from) {}

  unsigned number() {
    unsigned n = 0;
    for (int shift = 0;; shift += 7) {
      const unsigned byte = *at_++;
      n |= (byte & 127) << shift;
      if (byte < 128) return n;
    }
  }
  int next(int& before) { return before += static_cast<int>(number()); }
  double real() {
    float single;
    std::memcpy(&single, at_, sizeof single);
    at_ += sizeof single;
    return single;
  }
  const unsigned char* at() const { return at_; }

 private:
  const unsigned char* at_;
};

}  // namespace buffet
