#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace buffet {

/// Sum of the logs of `count` entries of an array: the log of their product, or of the products of
/// its halves where it leaves the range of doubles.
template <class Terms>
double sum_of_logs(const Terms& terms, Eigen::Index first, Eigen::Index count) {
  const double product = terms.segment(first, count).prod();
  if ((product > 1e-300 && product < 1e300) || count == 1) return std::log(product);
  return sum_of_logs(terms, first, count / 2) +
         sum_of_logs(terms, first + count / 2, count - count / 2);
}

/// That of all entries: one log of many of them.
template <class Terms>
double sum_of_logs(const Eigen::ArrayBase<Terms>& terms) {
  constexpr Eigen::Index block = 256;
  double sum = 0;
  for (Eigen::Index at = 0; at < terms.size(); at += block)
    sum += sum_of_logs(terms.derived(), at, std::min(block, terms.size() - at));
  return sum;
}

}  // namespace buffet
