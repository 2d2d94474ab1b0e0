#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/bits.h"
#include "core/rng.h"
#include "tree.h"
#include "tree_column.h"

namespace buffet {

/// Draws the rate of a feature that some row has: the density of pi is proportional to (1 - q^T) /
/// pi, q = 1 - pi, which is at most T, the length of the tree; it is drawn by rejection from the
/// uniform.
inline double draw_rate_of_any(const Tree& tree, Rng& rng) {
  const double total = tree.total_length();
  for (;;) {
    const double gamma = -std::log(rng.uniform());
    if (rng.uniform() * total < std::expm1(-gamma * total) / std::expm1(-gamma)) return gamma;
  }
}

/// Draws a column in which 0 changes to 1 on at least one edge, given its rate: edge by edge from
/// the root, conditional on a change on one of the remaining edges.
inline Bits draw_history(const Tree& tree, double gamma, Rng& rng) {
  std::vector<char> on(tree.size(), 0);
  double rest = tree.total_length();
  bool turned = false;
  for (int v = tree.root() - 1; v >= 0; --v) {
    const double turns = -std::expm1(-gamma * tree.length(v));
    const double chance = turned ? turns : turns / -std::expm1(-gamma * rest);
    on[v] = on[tree.parent(v)] || rng.uniform() < chance;
    turned = turned || on[v];
    rest -= tree.length(v);
  }
  Bits column(tree.rows());
  for (int i = 0; i < tree.rows(); ++i)
    if (on[i]) column.set(i);
  return column;
}

/// log of the integral of P(column | pi) / pi over pi in (0, 1), by the trapezoidal rule in s,
/// where log(gamma) = center + sinh(s), halving the step until convergence. Each halving
/// approximately squares the error: if the last one changed the sum by 1e-9, the remaining error is
/// at most 1e-10.
inline double log_integral(const Tree& tree, const Bits& column) {
  const TreeHistory history(tree, column);
  // Integrates from gamma = e^-45 / (1 + T) to e^7: the rest is below rounding error.
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
