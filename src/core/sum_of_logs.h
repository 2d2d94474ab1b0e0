#pragma once

#include <Eigen/Dense>
#include <cmath>

namespace buffet {

/// Sum of the logs of an array's entries, none of them far below 1: one log of a product of 32 of
/// them, or where that overflows of each.
template <class Terms>
double sum_of_logs(const Eigen::ArrayBase<Terms>& terms) {
  constexpr int block = 32;
  const auto& t = terms.derived();
  const Eigen::Index size = t.size();
  const auto log_of = [](double product, const auto& part) {
    if (product < 1e300) return std::log(product);
    double sum = 0;
    for (Eigen::Index n = 0; n < part.size(); ++n) sum += std::log(part(n));
    return sum;
  };
  double sum = 0;
  Eigen::Index at = 0;
  for (; at + block <= size; at += block) {
    const auto part = t.template segment<block>(at);
    sum += log_of(part.prod(), part);
  }
  if (at < size) {
    const auto part = t.segment(at, size - at);
    sum += log_of(part.prod(), part);
  }
  return sum;
}

}  // namespace buffet
