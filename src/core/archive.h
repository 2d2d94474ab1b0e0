#pragma once

#include <Eigen/Dense>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace buffet {

/// States of chains as bytes. A class lists its parts once, in `archive(a)`, and an archive either
/// writes or reads them: numbers, vectors, matrices and classes with such a list. R compares a hash
/// before it passes a state on, so the values of numbers are trusted. Sizes and indices are not: a
/// size is rejected if it exceeds the bytes left, and `check()` verifies sizes and indices before
/// they are used to address memory.
class Archive {
 public:
  /// An archive that writes.
  Archive() = default;
  /// An archive that reads.
  explicit Archive(const std::vector<unsigned char>& from) : from_(&from) {}

  bool reads() const { return from_ != nullptr; }
  /// The bytes written.
  std::vector<unsigned char> take() { return std::move(written_); }

  /// Throws an error that names the part if what was read is invalid.
  void check(bool sound, const char* part) const {
    if (reads() && !sound)
      throw std::runtime_error(std::string("the saved state is damaged in ") + part + ".");
  }
  /// Checks that everything has been read.
  void end() const { check(left() == 0, "its length"); }

  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T>> operator()(T& value) {
    bytes(&value, sizeof(T));
  }
  void operator()(bool& value) {
    auto byte = static_cast<unsigned char>(value);
    bytes(&byte, 1);
    value = byte != 0;
  }

  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T>> operator()(std::vector<T>& values) {
    values.resize(count(values.size(), sizeof(T)));
    bytes(values.data(), values.size() * sizeof(T));
  }

  void operator()(Eigen::MatrixXd& m) {
    const auto rows = size(m.rows()), columns = size(m.cols());
    if (reads() && columns > 0) expect(rows, columns * sizeof(double));
    m.resize(rows, columns);
    bytes(m.data(), m.size() * sizeof(double));
  }
  void operator()(Eigen::VectorXd& v) { vector(v); }
  void operator()(Eigen::ArrayXd& v) { vector(v); }

  /// A value of known size.
  template <class T>
  void of_same_size(T& values, const char* part) {
    const auto size = values.size();
    (*this)(values);
    check(values.size() == size, part);
  }
  void of_same_size(Eigen::MatrixXd& m, const char* part) {
    const auto rows = m.rows(), columns = m.cols();
    (*this)(m);
    check(m.rows() == rows && m.cols() == columns, part);
  }

  /// The number of parts that follow, each of which takes at least this many bytes.
  void number_of(int& count, std::size_t bytes_each, const char* part) {
    (*this)(count);
    check(count >= 0 && static_cast<std::size_t>(count) <= left() / bytes_each, part);
  }

  template <class T>
  std::enable_if_t<std::is_class_v<T>,
                   decltype(std::declval<T&>().archive(std::declval<Archive&>()))>
  operator()(T& part) {
    part.archive(*this);
  }

 private:
  void bytes(void* at, std::size_t count) {
    if (!reads()) {
      const auto* first = static_cast<const unsigned char*>(at);
      written_.insert(written_.end(), first, first + count);
      return;
    }
    if (count > left()) throw std::runtime_error("the saved state is incomplete.");
    if (count > 0) std::memcpy(at, from_->data() + read_, count);
    read_ += count;
  }

  /// The number of values that follow, each of which takes this many bytes.
  long count(long parts, std::size_t bytes_each) {
    const long count = size(parts);
    if (reads()) expect(count, bytes_each);
    return count;
  }
  template <class Vector>
  void vector(Vector& v) {
    v.resize(count(v.size(), sizeof(double)));
    bytes(v.data(), v.size() * sizeof(double));
  }

  long size(long size) {
    (*this)(size);
    check(size >= 0 && size <= std::numeric_limits<int>::max(), "a size");
    return size;
  }

  std::size_t left() const { return reads() ? from_->size() - read_ : 0; }
  /// Checks that enough bytes are left for what follows.
  void expect(std::size_t count, std::size_t bytes_each) const {
    if (count > left() / bytes_each) throw std::runtime_error("the saved state is incomplete.");
  }

  const std::vector<unsigned char>* from_ = nullptr;
  std::size_t read_ = 0;
  std::vector<unsigned char> written_;
};

template <class T>
std::vector<unsigned char> to_bytes(T& state) {
  Archive archive;
  archive(state);
  return archive.take();
}

template <class T>
void from_bytes(const std::vector<unsigned char>& bytes, T& state) {
  Archive archive(bytes);
  archive(state);
  archive.end();
}

}  // namespace buffet
