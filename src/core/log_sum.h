#pragma once

#include <Eigen/Dense>
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

/// The log of the sum, and of the mean, of numbers given by their logarithms.
class LogSum {
 public:
  void add(double log_value) {
    const double before = largest_;
    largest_ = std::max(largest_, log_value);
    sum_ = sum_ * std::exp(before - largest_) + std::exp(log_value - largest_);
  }
  double log() const { return log_mean(1); }
  /// Log mean of `count` numbers; numbers not added count as 0.
  double log_mean(double count) const { return largest_ + std::log(sum_ / count); }

 private:
  double largest_ = -std::numeric_limits<double>::infinity(), sum_ = 0;
};

/// The sum of the logs of positive numbers, as the log of their product; the product is split if it
/// would leave the range of doubles.
class LogProduct {
 public:
  void multiply(double by) {
    product_ *= by;
    if (product_ > 1e-150 && product_ < 1e150) return;
    sum_ += std::log(product_);
    product_ = 1;
  }
  double log() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0, product_ = 1;
};

/// Sum of the logs of `count` entries of an array, as the log of their product, or of the products
/// of its halves if the product leaves the range of doubles.
template <class Terms>
double sum_of_logs(const Terms& terms, Eigen::Index first, Eigen::Index count) {
  const double product = terms.segment(first, count).prod();
  if ((product > 1e-300 && product < 1e300) || count == 1) return std::log(product);
  return sum_of_logs(terms, first, count / 2) +
         sum_of_logs(terms, first + count / 2, count - count / 2);
}

/// Sum of the logs of all entries of an array, with one logarithm for many entries.
template <class Terms>
double sum_of_logs(const Eigen::ArrayBase<Terms>& terms) {
  constexpr Eigen::Index block = 256;
  double sum = 0;
  for (Eigen::Index at = 0; at < terms.size(); at += block)
    sum += sum_of_logs(terms.derived(), at, std::min(block, terms.size() - at));
  return sum;
}

}  // namespace buffet
