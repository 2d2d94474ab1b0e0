#include <testthat/vendor/catch.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "missing.h"
#include "point/factor/ascent_data.h"

using buffet::AscentData;
using buffet::GaussianData;
using buffet::RowBlock;
using buffet::some_rows;
using buffet::Source;
using namespace test;

namespace {

/// N x D; half of the entries are 0, and some are missing.
Eigen::MatrixXd draw_entries(int rows, int columns, Rng& rng) {
  Eigen::MatrixXd x = draw_normal(rows, columns, 1.3, rng);
  for (int n = 0; n < x.size(); ++n)
    if (rng.bernoulli(0.5)) x(n) = 0;
  return hide_some(x, rng);
}

/// Compares the source with the rows of x, including missing entries.
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

TEST_CASE("a source in blocks has the rows of the whole data, in order, with one fetch per block") {
  Rng rng(301);
  for (int n = 0; n < 50; ++n) {
    const int rows = 1 + rng.below(12);
    const Eigen::MatrixXd x = draw_entries(rows, 1 + rng.below(5), rng);
    const std::vector<int> sizes = random_sizes(rows, rng);
    const Source source = in_blocks(x, sizes, n % 2);
    CHECK(source.rows() == rows);
    int next = 0;
    std::size_t blocks = 0;
    source.for_each([&](const RowBlock& block) {
      CHECK(block.first == next);
      CHECK(block.from == 0);
      CHECK(block.number == static_cast<int>(blocks));
      REQUIRE(block.count == sizes[blocks++]);
      std::vector<int> here;
      for (int i = 0; i < block.count; ++i) here.push_back(next++);
      check_rows(block.x, x, here);
    });
    CHECK(blocks == sizes.size());
    CHECK(next == rows);
  }
}

TEST_CASE("blocks of a source in memory are ranges of the data") {
  Rng rng(302);
  const Eigen::MatrixXd x = draw_entries(150, 3, rng);
  const GaussianData data = rows_of(x, 0, 150);
  const auto check = [&](const Source& source, std::vector<int> counts) {
    REQUIRE(source.blocks() == static_cast<int>(counts.size()));
    int calls = 0, next = 0;
    source.for_each([&](const RowBlock& block) {
      CHECK(&block.x == &data);
      CHECK(block.first == next);
      CHECK(block.from == next);
      CHECK(block.number == source.first_block() + calls);
      CHECK(block.count == counts[calls++]);
      next += block.count;
    });
    CHECK(calls == static_cast<int>(counts.size()));
    CHECK(next == 150);
  };
  check(Source(data), {150});
  check(Source(data, 64, 3), {64, 64, 22});
}

TEST_CASE("blocks in memory have whole words of rows, and there are not too many blocks") {
  for (int rows : {1, 4096, 4097, 1000000, 100000000, 2000000000}) {
    const int size = Source::block_rows(rows);
    CHECK(size % 4096 == 0);
    CHECK((double(rows) + size - 1) / size < 1025);
  }
  CHECK(Source::block_rows(4000000) == 4096);
  CHECK(Source::block_rows(5000000) == 8192);
}

TEST_CASE("rows selected from a source equal the original rows, dense or sparse") {
  Rng rng(303);
  for (int n = 0; n < 200; ++n) {
    const int rows = 1 + rng.below(12);
    const bool sparse = n % 2;
    const Eigen::MatrixXd x = draw_entries(rows, 1 + rng.below(5), rng);
    std::vector<int> drawn;
    for (int i : all_of(rows))
      if (rng.bernoulli(0.5)) drawn.push_back(i);
    const GaussianData whole = rows_of(x, 0, rows, sparse);
    const int columns = static_cast<int>(x.cols());
    const GaussianData of_whole = some_rows(AscentData(Source(whole), columns), drawn);
    const Source blocks = in_blocks(x, random_sizes(rows, rng), sparse);
    const GaussianData of_blocks = some_rows(AscentData(blocks, columns), drawn);
    CHECK(of_whole.is_sparse() == sparse);
    CHECK(of_blocks.is_sparse() == sparse);
    check_rows(of_whole, x, drawn);
    check_rows(of_blocks, x, drawn);
  }
}

TEST_CASE("selected rows are dense if any of the blocks is dense") {
  Rng rng(304);
  const Eigen::MatrixXd x = draw_entries(9, 4, rng);
  for (int dense_block : {0, 1, 2}) {
    const Source mixed({3, 3, 3}, [&](int b) { return rows_of(x, 3 * b, 3, b != dense_block); });
    const GaussianData data = some_rows(AscentData(mixed, 4), {0, 2, 4, 5, 8});
    CHECK_FALSE(data.is_sparse());
    check_rows(data, x, {0, 2, 4, 5, 8});
  }
}
