#include <testthat/vendor/catch.h>

#include <cmath>
#include <set>
#include <vector>

#include "gaussian/gaussian_masks.h"
#include "missing.h"

using buffet::GaussianData;
using buffet::Masks;
using namespace test;

namespace {

Masks masks_of(const buffet::Source& source, int columns) {
  Masks masks(source.rows(), columns);
  source.for_each([&](const buffet::RowBlock& b) { masks.add(b.x, b.from, b.count); });
  masks.finish();
  return masks;
}

/// The missing columns of row i.
std::vector<int> lacks(const Eigen::MatrixXd& x, int i) {
  std::vector<int> hidden;
  for (int d = 0; d < x.cols(); ++d)
    if (std::isnan(x(i, d))) hidden.push_back(d);
  return hidden;
}

void check_masks(const Masks& masks, const Eigen::MatrixXd& x) {
  const int rows = static_cast<int>(x.rows()), columns = static_cast<int>(x.cols());
  std::set<std::vector<int>> row_patterns, column_patterns;
  int hidden = 0;
  REQUIRE(masks.rows() == rows);
  for (int i = 0; i < rows; ++i) {
    row_patterns.insert(lacks(x, i));
    hidden += static_cast<int>(lacks(x, i).size());
    REQUIRE(masks.pattern_of(i) < masks.patterns());
    CHECK(masks.hidden(masks.pattern_of(i)) == lacks(x, i));
  }
  CHECK(masks.patterns() == static_cast<int>(row_patterns.size()));
  CHECK(masks.count_hidden() == hidden);
  std::vector<int> seen(columns, 0);
  for (int d = 0; d < columns; ++d) column_patterns.insert(lacks(x.transpose(), d));
  CHECK(masks.groups().size() == column_patterns.size());
  for (const auto& group : masks.groups()) {
    CHECK_FALSE(group.columns.empty());
    for (int d : group.columns) {
      ++seen[d];
      for (int i = 0; i < rows; ++i) CHECK(group.hidden.at(i) == std::isnan(x(i, d)));
    }
  }
  for (int n : seen) CHECK(n == 1);
}

}  // namespace

TEST_CASE("rows and columns with the same missing entries are grouped; all others are separate") {
  Rng rng(311);
  for (int n = 0; n < 200; ++n) {
    const int rows = 1 + rng.below(n % 10 ? 9 : 90), columns = 1 + rng.below(6);
    const Eigen::MatrixXd x = hide_some(draw_normal(rows, columns, 1, rng), rng);
    const GaussianData whole = rows_of(x, 0, rows);
    check_masks(masks_of(buffet::Source(whole), columns), x);
    check_masks(masks_of(in_blocks(x, random_sizes(rows, rng), n % 2), columns), x);
  }
}

TEST_CASE("complete data have one pattern, one group and no missing entries") {
  Rng rng(312);
  const GaussianData data = rows_of(draw_normal(70, 4, 1, rng), 0, 70);
  const Masks masks = masks_of(buffet::Source(data), 4);
  CHECK(masks.patterns() == 1);
  CHECK(masks.hidden(0).empty());
  CHECK(masks.count_hidden() == 0);
  REQUIRE(masks.groups().size() == 1);
  CHECK((masks.groups()[0].columns == std::vector<int>{0, 1, 2, 3}));
  CHECK(masks.groups()[0].hidden.count() == 0);
}
