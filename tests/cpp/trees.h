#pragma once

// Trees, and the probabilities of their leaves under the phylogenetic process from sums over the
// states of all nodes. Nothing here calls the tested code except for the container of bits and
// random numbers.

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/bits.h"
#include "core/rng.h"
#include "prior/tree.h"

namespace test {

using buffet::Bits;
using buffet::Rng;
using buffet::Tree;

/// A tree as it is given: rows come first, other nodes in any order, and the root has parent -1.
struct RawTree {
  int rows;
  std::vector<int> parents;
  std::vector<double> lengths;

  Tree tree() const { return Tree(rows, parents, lengths); }
  int size() const { return static_cast<int>(parents.size()); }
  double total() const {
    double sum = 0;
    for (double t : lengths) sum += t;
    return sum;
  }

  /// Nodes in an order in which every node comes after its parent.
  std::vector<int> downwards() const {
    std::vector<int> order, depths(size());
    for (int v = 0; v < size(); ++v) {
      order.push_back(v);
      for (int p = parents[v]; p >= 0; p = parents[p]) ++depths[v];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int v, int w) { return depths[v] < depths[w]; });
    return order;
  }
};

/// P(column | gamma), the sum over the states of all inner nodes, of which there must be few.
inline long double brute_force(const RawTree& raw, const Bits& column, long double gamma) {
  const int inner = raw.size() - raw.rows;
  std::vector<long double> stays, turns;
  for (double t : raw.lengths) {
    stays.push_back(std::exp(-gamma * t));
    turns.push_back(-std::expm1(-gamma * t));
  }
  long double sum = 0;
  for (int states = 0; states < (1 << inner); ++states) {
    const auto is_on = [&](int v) {
      return v < raw.rows ? column.at(v) : (states >> (v - raw.rows) & 1) != 0;
    };
    long double product = 1;
    for (int v = 0; v < raw.size() && product > 0; ++v) {
      const int p = raw.parents[v];
      if (p >= 0 && is_on(p))
        product *= is_on(v);
      else
        product *= is_on(v) ? turns[v] : stays[v];
    }
    sum += product;
  }
  return sum;
}

/// The rows that correspond to the bits of a number.
inline Bits bits_of(int rows, int history) {
  Bits column(rows);
  for (int i = 0; i < rows; ++i)
    if (history >> i & 1) column.set(i);
  return column;
}

/// Trees sometimes have binary nodes, polytomies, nodes with a single child, edges of length zero,
/// or an edge above the root.
inline RawTree random_tree(Rng& rng, int least = 2, int most = 7) {
  RawTree raw{least + rng.below(most - least + 1), {}, {}};
  const auto length = [&](double zero) { return rng.bernoulli(zero) ? 0 : rng.uniform(); };
  std::vector<int> open;
  for (int i = 0; i < raw.rows; ++i) {
    raw.parents.push_back(-1);
    raw.lengths.push_back(length(0.1));
    open.push_back(i);
  }
  const auto join = [&](std::size_t count, double zero) {
    const int p = raw.size();
    for (rng.shuffle(open); count > 0; --count) {
      raw.parents[open.back()] = p;
      open.pop_back();
    }
    raw.parents.push_back(-1);
    raw.lengths.push_back(length(zero));
    open.push_back(p);
  };
  while (open.size() > 1) {
    join(std::min<std::size_t>(open.size(), rng.bernoulli(0.6) ? 2 : 2 + rng.below(3)), 0.15);
    if (rng.bernoulli(0.2) && raw.size() < 2 * raw.rows + 1) join(1, 0.15);
  }
  if (rng.bernoulli(0.5)) raw.lengths.back() = 0;
  return raw;
}

/// The same tree with its inner nodes renumbered; the root is the last of them.
inline RawTree renumbered(const RawTree& raw, Rng& rng) {
  std::vector<int> order(raw.size() - raw.rows), number(raw.size());
  rng.permutation(static_cast<int>(order.size()), order);
  for (int v = 0; v < raw.size(); ++v)
    number[v] = v < raw.rows ? v : raw.rows + order[v - raw.rows];
  RawTree other = raw;
  for (int v = 0; v < raw.size(); ++v) {
    other.parents[number[v]] = raw.parents[v] < 0 ? -1 : number[raw.parents[v]];
    other.lengths[number[v]] = raw.lengths[v];
  }
  return other;
}

/// All leaves are at distance 1 from the root, and are exchangeable.
inline RawTree star(int rows) {
  RawTree raw{rows, std::vector<int>(rows, rows), std::vector<double>(rows, 1)};
  raw.parents.push_back(-1);
  raw.lengths.push_back(0);
  return raw;
}

/// Leaves at distance 1 from the root that are not exchangeable: 0 and 1 are siblings, and 2 is
/// next to them; if there are four or five rows, the others join 2 below a polytomy.
inline RawTree uneven_tree(int rows) {
  if (rows == 3) return {3, {3, 3, 4, 4, -1}, {0.4, 0.4, 1, 0.6, 0}};
  if (rows == 4) return {4, {4, 4, 5, 5, 6, 6, -1}, {0.35, 0.35, 0.8, 0.8, 0.65, 0.2, 0}};
  return {5, {5, 5, 6, 6, 6, 7, 7, -1}, {0.35, 0.35, 0.7, 0.7, 0.7, 0.65, 0.3, 0}};
}

/// A comb: the first two leaves meet at the lowest node, and one more leaf joins at each of the
/// other nodes.
inline RawTree comb(int rows) {
  const int size = 2 * rows - 1;
  const auto height = [&](int v) { return v < rows ? 0 : double(v - rows + 1) / (rows - 1); };
  RawTree raw{rows, std::vector<int>(size, -1), std::vector<double>(size, 0)};
  for (int v = 0; v < size - 1; ++v) {
    raw.parents[v] = v < 2 ? rows : v < rows ? rows + v - 1 : v + 1;
    raw.lengths[v] = height(raw.parents[v]) - height(v);
  }
  return raw;
}

}  // namespace test
