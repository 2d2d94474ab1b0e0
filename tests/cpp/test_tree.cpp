#include <testthat/vendor/catch.h>

#include "trees.h"

using namespace test;

namespace {

template <class Check>
void for_random_trees(Check check) {
  Rng rng(141);
  for (int n = 0; n < 200; ++n) check(renumbered(random_tree(rng), rng));
}

/// Rows below each node, as binary numbers.
std::vector<int> rows_below(int rows, const std::vector<int>& parents) {
  std::vector<int> below(parents.size(), 0);
  for (int i = 0; i < rows; ++i)
    for (int v = i; v >= 0; v = parents[v]) below[v] |= 1 << i;
  return below;
}

/// The total length of the edges above nodes that have these rows below them.
double length_above(int set, const std::vector<int>& below, const std::vector<double>& lengths) {
  double sum = 0;
  for (std::size_t v = 0; v < below.size(); ++v)
    if (below[v] == set) sum += lengths[v];
  return sum;
}

}  // namespace

TEST_CASE("nodes of a tree come after their children; rows come first and the root last") {
  for_random_trees([](const RawTree& raw) {
    const Tree tree = raw.tree();
    REQUIRE(tree.rows() == raw.rows);
    CHECK(tree.parent(tree.root()) == -1);
    CHECK(tree.length(tree.root()) == 0);
    for (int v = 0; v < tree.root(); ++v) {
      CHECK(tree.parent(v) > v);
      CHECK(tree.is_leaf(v) == (v < raw.rows));
      CHECK(tree.is_leaf(v) == tree.children(v).empty());
      const auto& siblings = tree.children(tree.parent(v));
      CHECK(std::count(siblings.begin(), siblings.end(), v) == 1);
    }
  });
}

TEST_CASE("no node of a tree has a single child except a root above an edge") {
  for_random_trees([](const RawTree& raw) {
    const Tree tree = raw.tree();
    for (int v = raw.rows; v < tree.root(); ++v) CHECK(tree.children(v).size() >= 2);
  });
}

TEST_CASE("every set of rows is separated by the same length as in the given tree") {
  for_random_trees([](const RawTree& raw) {
    const Tree tree = raw.tree();
    CHECK(tree.total_length() == Approx(raw.total()));
    std::vector<int> parents;
    std::vector<double> lengths;
    for (int v = 0; v < tree.size(); ++v) {
      parents.push_back(tree.parent(v));
      lengths.push_back(tree.length(v));
    }
    const auto before = rows_below(raw.rows, raw.parents), after = rows_below(raw.rows, parents);
    for (int set = 1; set < (1 << raw.rows); ++set)
      CHECK(length_above(set, after, lengths) ==
            Approx(length_above(set, before, raw.lengths)).margin(1e-14));
  });
}

TEST_CASE("a tree of one row is an edge") {
  for (const RawTree& raw : {RawTree{1, {-1}, {0.7}}, RawTree{1, {1, -1}, {0.7, 0}}}) {
    const Tree tree = raw.tree();
    CHECK(tree.size() == 2);
    CHECK(tree.length(0) == 0.7);
    CHECK(tree.total_length() == 0.7);
  }
}

TEST_CASE("branches that do not lead to a row are removed") {
  // Node 3 is a leaf that is not a row.
  const Tree tree(2, {2, 2, -1, 2}, {0.5, 0.6, 0, 0.7});
  CHECK(tree.size() == 3);
  CHECK(tree.total_length() == Approx(1.1));
}
