#pragma once

#include <Eigen/Dense>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace buffet {

/// States of chains as bytes. A class lists its parts once, in `archive(a)`, and is written by an
/// archive that writes and read by one that reads; both visit numbers, vectors, matrices and
/// classes with such a list.
template <class Derived>
class Archive {
 public:
  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T>> operator()(T& value) {
    bytes(&value, sizeof(T));
  }

  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T>> operator()(std::vector<T>& values) {
    values.resize(size(values.size()));
    bytes(values.data(), values.size() * sizeof(T));
  }

  void operator()(Eigen::MatrixXd& m) {
    const auto rows = size(m.rows()), columns = size(m.cols());
    m.resize(rows, columns);
    bytes(m.data(), m.size() * sizeof(double));
  }
  void operator()(Eigen::VectorXd& v) {
    v.resize(size(v.size()));
    bytes(v.data(), v.size() * sizeof(double));
  }

  void operator()(Eigen::ArrayXd& v) {
    v.resize(size(v.size()));
    bytes(v.data(), v.size() * sizeof(double));
  }

  template <class T>
  std::enable_if_t<std::is_class_v<T>,
                   decltype(std::declval<T&>().archive(std::declval<Derived&>()))>
  operator()(T& part) {
    part.archive(derived());
  }

  static constexpr bool reads() { return Derived::reading; }

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }
  void bytes(void* at, std::size_t count) { derived().move(at, count); }

  long size(long size) {
    (*this)(size);
    return size;
  }
};

class Writer : public Archive<Writer> {
 public:
  static constexpr bool reading = false;
  void move(const void* from, std::size_t count) {
    const auto* first = static_cast<const unsigned char*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  std::vector<unsigned char> take() { return std::move(bytes_); }

 private:
  std::vector<unsigned char> bytes_;
};

class Reader : public Archive<Reader> {
 public:
  static constexpr bool reading = true;
  explicit Reader(const std::vector<unsigned char>& bytes) : bytes_(bytes) {}
  void move(void* to, std::size_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("the saved state is incomplete.");
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }

 private:
  const std::vector<unsigned char>& bytes_;
  std::size_t at_ = 0;
};

template <class T>
std::vector<unsigned char> to_bytes(T& state) {
  Writer writer;
  writer(state);
  return writer.take();
}

template <class T>
void from_bytes(const std::vector<unsigned char>& bytes, T& state) {
  Reader reader(bytes);
  reader(state);
}

}  // namespace buffet
