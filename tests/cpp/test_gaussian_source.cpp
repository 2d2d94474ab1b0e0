#include <testthat/vendor/catch.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "missing.h"

using buffet::GaussianData;
using buffet::some_rows;
using buffet::Source;
using namespace test;

namespace {

/// N x D, half of them 0, some missing.
Eigen::MatrixXd draw_entries(int rows, int columns, Rng& rng) {
  Eigen::MatrixXd x = draw_normal(rows, columns, 1.3, rng);
  for (int n = 0; n < x.size(); ++n)
    if (rng.bernoulli(0.5)) x(n) = 0;
  return hide_some(x, rng);
}

/// Are these the rows of x, with the same missing entries?
void check_rows(const GaussianData& data, const Eigen::MatrixXd& x, const std::vector<int>& rows) {
  REQUIRE(data.rows() == static_cast<int>(rows.size()));
  REQUIRE(data.columns() == x.cols());
  for (int n = 0; n < data.rows(); ++n) {
    Eigen::VectorXd seen = Eigen::VectorXd::Zero(x.cols());
    data.for_entries(n, [&](int d, double value) { seen(d) = value; });
    for (int d = 0; d < x.cols(); ++d) {
      const double expected = x(rows[n], d);
      CHECK(std::isnan(seen(d)) == std::isnan(expected));
      if (!std::isnan(expected)) CHECK(seen(d) == expected);
    }
  }
}

std::vector<int> all_of(int rows) {
  std::vector<int> all(rows);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

TEST_CASE("a source in blocks has the rows of the whole, in order, one fetch a block") {
  Rng rng(301);
  for (int n = 0; n < 50; ++n) {
    const int rows = 1 + rng.below(12);
    const Eigen::MatrixXd x = draw_entries(rows, 1 + rng.below(5), rng);
    const std::vector<int> sizes = random_sizes(rows, rng);
    const Source source = in_blocks(x, sizes, n % 2);
    CHECK(source.rows() == rows);
    CHECK_FALSE(source.in_memory());
    int next = 0;
    std::size_t blocks = 0;
    source.for_each([&](int from, const GaussianData& block) {
      CHECK(from == next);
      REQUIRE(block.rows() == sizes[blocks++]);
      std::vector<int> here;
      for (int i = 0; i < block.rows(); ++i) here.push_back(next++);
      check_rows(block, x, here);
    });
    CHECK(blocks == sizes.size());
    CHECK(next == rows);
  }
}

TEST_CASE("a source in memory is one block, the data themselves") {
  Rng rng(302);
  const Eigen::MatrixXd x = draw_entries(6, 3, rng);
  const GaussianData data = rows_of(x, 0, 6);
  const Source source(data);
  CHECK(source.in_memory());
  int calls = 0;
  source.for_each([&](int from, const GaussianData& block) {
    ++calls;
    CHECK(from == 0);
    CHECK(&block == &data);
  });
  CHECK(calls == 1);
}

TEST_CASE("some rows of a source are those rows, dense or sparse, missing entries among them") {
  Rng rng(303);
  for (int n = 0; n < 200; ++n) {
    const int rows = 1 + rng.below(12);
    const bool sparse = n % 2;
    const Eigen::MatrixXd x = draw_entries(rows, 1 + rng.below(5), rng);
    std::vector<int> drawn;
    for (int i : all_of(rows))
      if (rng.bernoulli(0.5)) drawn.push_back(i);
    const GaussianData whole = rows_of(x, 0, rows, sparse);
    const GaussianData of_whole = some_rows(Source(whole), drawn);
    const GaussianData of_blocks = some_rows(in_blocks(x, random_sizes(rows, rng), sparse), drawn);
    CHECK(of_whole.is_sparse() == sparse);
    CHECK(of_blocks.is_sparse() == sparse);
    check_rows(of_whole, x, drawn);
    check_rows(of_blocks, x, drawn);
  }
}

TEST_CASE("some rows are dense where one of the blocks is") {
  Rng rng(304);
  const Eigen::MatrixXd x = draw_entries(9, 4, rng);
  for (int dense_block : {0, 1, 2}) {
    const Source mixed({3, 3, 3}, [&](int b) { return rows_of(x, 3 * b, 3, b != dense_block); });
    const GaussianData data = some_rows(mixed, {0, 2, 4, 5, 8});
    CHECK_FALSE(data.is_sparse());
    check_rows(data, x, {0, 2, 4, 5, 8});
  }
}
