#pragma once

#include <algorithm>

#include "core/archive.h"

namespace buffet {

/// Mean and variance of a chain's log joint over some sweeps.
class Level {
 public:
  void add(double value) {
    ++count_;
    const double by = value - mean_;
    mean_ += by / count_;
    squares_ += by * (value - mean_);
  }

  int count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return squares_ / std::max(count_ - 1, 1); }

  void archive(Archive& a) {
    a(count_);
    a(mean_);
    a(squares_);
  }

 private:
  int count_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace buffet
