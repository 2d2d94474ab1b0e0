#pragma once

#include <Eigen/Dense>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace buffet {

/// States of chains as bytes. A class lists its parts once, in `archive(a)`, and an archive either
/// writes them or reads them: numbers, vectors, matrices and classes with such a list.
class Archive {
 public:
  /// One that writes.
  Archive() = default;
  /// One that reads.
  explicit Archive(const std::vector<unsigned char>& from) : from_(&from) {}

  bool reads() const { return from_ != nullptr; }
  /// What was written.
  std::vector<unsigned char> take() { return std::move(written_); }

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
    if (count > from_->size() - read_) throw std::runtime_error("the saved state is incomplete.");
    if (count > 0) std::memcpy(at, from_->data() + read_, count);
    read_ += count;
  }

  long size(long size) {
    (*this)(size);
    return size;
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
}

}  // namespace buffet
