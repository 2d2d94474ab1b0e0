#pragma once

#include <cmath>
#include <vector>

#include "core/bits.h"
#include "core/rng.h"
#include "tree.h"

namespace buffet {

/// The rate of a feature that some row has: the density of pi is proportional to (1 - q^T) / pi, q
/// = 1 - pi, which falls from T, the length of the tree, and is drawn by rejection from the
/// uniform.
inline double draw_rate_of_any(const Tree& tree, Rng& rng) {
  const double total = tree.total_length();
  for (;;) {
    const double gamma = -std::log(rng.uniform());
    if (rng.uniform() * total < std::expm1(-gamma * total) / std::expm1(-gamma)) return gamma;
  }
}

/// A column that 0 turns into 1 on some edge of, given its rate: edge after edge from the root, the
/// turn being certain to come on one of those that are left.
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

}  // namespace buffet
