#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tree_column.h"

namespace buffet {

/// log of the integral of P(column | pi) / pi over pi in (0, 1): the trapezoidal rule in s, where
/// log(gamma) = center + sinh(s), halved until it has converged. The error is squared at
/// every halving, more or less: where the last changed the sum by 1e-9, 1e-10 is left at most.
inline double log_integral(const Tree& tree, const Bits& column) {
  const TreeHistory history(tree, column);
  // From gamma = e^-45 / (1 + T) to e^7: what is beyond is below rounding.
  const double center = -std::log(1 + tree.total_length());
  const double from = -std::asinh(45.0), to = std::asinh(7 - center);
  std::vector<double> terms;
  const auto add = [&](double s) {
    const double value = history.log_density(center + std::sinh(s)) + std::log(std::cosh(s));
    terms.push_back(std::isnan(value) ? -std::numeric_limits<double>::infinity() : value);
  };
  const auto log_sum = [&] {
    const double largest = *std::max_element(terms.begin(), terms.end());
    if (largest == -std::numeric_limits<double>::infinity()) return largest;
    double sum = 0;
    for (double term : terms) sum += std::exp(term - largest);
    return largest + std::log(sum);
  };
  int intervals = 32;
  for (int n = 0; n <= intervals; ++n) add(from + (to - from) * n / intervals);
  double before = log_sum() + std::log((to - from) / intervals);
  for (; intervals < (1 << 16); intervals *= 2) {
    for (int n = 0; n < intervals; ++n) add(from + (to - from) * (n + 0.5) / intervals);
    const double now = log_sum() + std::log((to - from) / (2 * intervals));
    if (!(std::abs(now - before) > 1e-9)) return now;
    before = now;
  }
  return before;
}

}  // namespace buffet
