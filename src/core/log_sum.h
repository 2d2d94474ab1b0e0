#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace buffet {

/// log(1 + e^x).
inline double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// log(e^x + e^y).
inline double log_add(double x, double y) {
  return std::max(x, y) + softplus(std::min(x, y) - std::max(x, y));
}

/// Numbers given by their logarithms: log of their sum, and of their mean.
class LogSum {
 public:
  void add(double log_value) {
    const double before = largest_;
    largest_ = std::max(largest_, log_value);
    sum_ = sum_ * std::exp(before - largest_) + std::exp(log_value - largest_);
  }
  double log() const { return log_mean(1); }
  /// That of so many, the others 0.
  double log_mean(double count) const { return largest_ + std::log(sum_ / count); }

 private:
  double largest_ = -std::numeric_limits<double>::infinity(), sum_ = 0;
};

}  // namespace buffet
