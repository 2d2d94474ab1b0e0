#pragma once

#include <Eigen/Dense>

namespace buffet {

/// An array of D numbers for every pair of features: k >= l at k (k + 1) / 2 + l. They follow the
/// columns of Features as resize.h says.
class PairArrays {
 public:
  PairArrays(int width, int size)
      : size_(size), arrays_(Eigen::ArrayXXd::Zero(width, pairs(size))) {}

  int size() const { return size_; }
  auto of(int k, int l) { return arrays_.col(pair(k, l)); }
  auto of(int k, int l) const { return arrays_.col(pair(k, l)); }

  void append() {
    arrays_.conservativeResize(Eigen::NoChange, pairs(++size_));
    for (int l = 0; l < size_; ++l) of(size_ - 1, l).setZero();
  }
  void drop(int k) {
    const int last = --size_;
    if (k != last) {
      for (int l = 0; l < last; ++l)
        if (l != k) of(k, l) = of(last, l);
      of(k, k) = of(last, last);
    }
    arrays_.conservativeResize(Eigen::NoChange, pairs(last));
  }

 private:
  static int pair(int k, int l) { return k >= l ? k * (k + 1) / 2 + l : pair(l, k); }
  static int pairs(int size) { return size * (size + 1) / 2; }

  int size_;
  Eigen::ArrayXXd arrays_;
};

}  // namespace buffet
