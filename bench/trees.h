#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "prior/phylogenetic.h"
#include "prior/tree.h"

namespace bench {

/// The number of splits into halves from the root to every leaf is equal up to one, with equal
/// lengths.
inline buffet::Tree balanced_tree(int rows) {
  std::vector<int> parents(rows, -1), level(rows);
  std::vector<double> heights(rows, 0);  // heights above the leaves
  for (int i = 0; i < rows; ++i) level[i] = i;
  const int splits = static_cast<int>(std::ceil(std::log2(rows)));
  for (int above = 1; level.size() > 1; ++above) {
    std::vector<int> next;
    for (std::size_t n = 0; n < level.size(); n += 2) {
      if (n + 1 == level.size()) {
        next.push_back(level[n]);
        continue;
      }
      next.push_back(static_cast<int>(parents.size()));
      parents[level[n]] = parents[level[n + 1]] = next.back();
      parents.push_back(-1);
      heights.push_back(double(above) / splits);
    }
    level = std::move(next);
  }
  std::vector<double> lengths(parents.size(), 0);
  for (std::size_t v = 0; v + 1 < parents.size(); ++v)
    lengths[v] = heights[parents[v]] - heights[v];
  return buffet::Tree(rows, std::move(parents), std::move(lengths));
}

/// A caterpillar: every split separates one leaf, at equal distances.
inline buffet::Tree caterpillar(int rows) {
  std::vector<int> parents(2 * rows - 1);
  std::vector<double> lengths(2 * rows - 1, 1.0 / (rows - 1));
  for (int i = 1; i < rows; ++i) {
    const int node = rows + i - 1;
    parents[i] = node;
    lengths[i] = double(i) / (rows - 1);
    parents[node] = i + 1 < rows ? node + 1 : -1;
  }
  parents[0] = rows;
  lengths.back() = 0;
  return buffet::Tree(rows, std::move(parents), std::move(lengths));
}

/// Three groups of three items, whose nodes are midway between the root and the items.
inline buffet::Tree three_by_three() {
  return buffet::Tree(9, {9, 9, 9, 10, 10, 10, 11, 11, 11, 12, 12, 12, -1},
                      {.5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5, 0});
}

/// The leaves that have a feature with this gamma.
inline buffet::Bits draw_column(const buffet::Tree& tree, double gamma, buffet::Rng& rng) {
  buffet::Bits column(tree.rows());
  std::vector<char> on(tree.size(), 0);
  for (int v = tree.root() - 1; v >= 0; --v) {
    on[v] = on[tree.parent(v)] || rng.uniform() < -std::expm1(-gamma * tree.length(v));
    if (tree.is_leaf(v) && on[v]) column.set(v);
  }
  return column;
}

/// A feature from the prior that some leaf has, and its gamma, with intensity 1 / pi in pi. Drawn
/// by rejection in log(gamma), starting from a value below which only one in 10,000 features has a
/// leaf.
inline std::pair<buffet::Bits, double> draw_feature(const buffet::Tree& tree, buffet::Rng& rng) {
  const double from = std::log(1e-4 / tree.total_length()), to = std::log(40.0);
  for (;;) {
    const double gamma = std::exp(from + (to - from) * rng.uniform());
    if (rng.uniform() > gamma / std::expm1(gamma)) continue;
    buffet::Bits column = draw_column(tree, gamma, rng);
    if (column.count() > 0) return {std::move(column), gamma};
  }
}

inline buffet::Features draw_features(const buffet::Tree& tree, int features, buffet::Rng& rng) {
  buffet::Features z(tree.rows());
  while (z.size() < features) z.add(draw_feature(tree, rng).first);
  return z;
}

inline std::shared_ptr<const buffet::TreeTables> tables_of(buffet::Tree tree,
                                                           buffet::TreeTables::Rates rates) {
  return std::make_shared<const buffet::TreeTables>(std::move(tree), rates);
}

/// The phylogenetic prior with alpha = 1 and its probabilities in the state.
inline buffet::Phylogenetic sampled_prior(buffet::Tree tree) {
  return {tables_of(std::move(tree), buffet::TreeTables::Rates::sampled), buffet::Hyper::fixed(1)};
}

}  // namespace bench
