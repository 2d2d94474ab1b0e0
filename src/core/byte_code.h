#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace buffet {

/// Draws as bytes. Integers are written seven bits per byte, with the last byte below 128; reals
/// are in single precision.
class ByteWriter {
 public:
  void number(unsigned n) {
    for (; n >= 128; n >>= 7) bytes_.push_back(static_cast<unsigned char>(n | 128));
    bytes_.push_back(static_cast<unsigned char>(n));
  }
  /// Writes the next number of an increasing sequence as its difference from the previous one.
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

/// Reads the bytes to their end and rejects every number that is out of range.
class ByteReader {
 public:
  ByteReader(const unsigned char* from, std::size_t size) : at_(from), end_(from + size) {}
  explicit ByteReader(const std::vector<unsigned char>& from)
      : ByteReader(from.data(), from.size()) {}

  /// Reads a number; all numbers written are below 2^31.
  int number() {
    unsigned n = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const unsigned byte = *take(1);
      check(shift < 28 || byte < 8, "a number");
      n |= (byte & 127) << shift;
      if (byte < 128) return static_cast<int>(n);
    }
    throw damaged("a number");
  }
  /// The number of parts that follow, each of which takes at least this many bytes.
  int count(std::size_t bytes_each, const char* part) {
    const int n = number();
    check(static_cast<std::size_t>(n) <= left() / bytes_each, part);
    return n;
  }
  /// Reads the next number of an increasing sequence, which must be below `limit`.
  int next(int& before, int limit, const char* part) {
    const int by = number();
    check(by < limit - before, part);
    return before += by;
  }
  double real() {
    float single;
    std::memcpy(&single, take(sizeof single), sizeof single);
    return single;
  }

  /// Checks an invariant of a saved draw; a violation is an error that names the part.
  static void check(bool sound, const char* part) {
    if (!sound) throw damaged(part);
  }
  /// Checks that everything has been read.
  void end() const { check(left() == 0, "its length"); }

 private:
  static std::runtime_error damaged(const char* part) {
    return std::runtime_error(std::string("a kept draw is damaged in ") + part + ".");
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const unsigned char* take(std::size_t bytes) {
    check(bytes <= left(), "its length");
    at_ += bytes;
    return at_ - bytes;
  }

  const unsigned char *at_, *end_;
};

}  // namespace buffet
