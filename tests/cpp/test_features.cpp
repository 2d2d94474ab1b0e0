#include <testthat/vendor/catch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "draws.h"

using namespace test;

namespace {

/// Columns as plain vectors, with the same operations.
using Columns = std::vector<std::vector<int>>;

void check_equal(const Features& z, const Columns& columns) {
  REQUIRE(z.size() == static_cast<int>(columns.size()));
  int total = 0;
  for (int k = 0; k < z.size(); ++k) {
    int count = 0;
    for (int i = 0; i < z.rows(); ++i) {
      REQUIRE(z.at(i, k) == (columns[k][i] == 1));
      count += columns[k][i];
    }
    REQUIRE(z.count(k) == count);
    for (int i = 0; i < z.rows(); ++i) {
      REQUIRE(z.count_without(i, k) == count - columns[k][i]);
      REQUIRE(z.is_own(i, k) == (count - columns[k][i] == 0));
    }
    total += count;
  }
  REQUIRE(z.total() == total);
}

std::vector<int> random_column(int rows, Rng& rng) {
  std::vector<int> column(rows);
  for (int& bit : column) bit = rng.bernoulli(0.5);
  return column;
}

buffet::Bits to_bits(const std::vector<int>& column) {
  buffet::Bits bits(static_cast<int>(column.size()));
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column[i]) bits.set(static_cast<int>(i));
  return bits;
}

void random_operation(Features& z, Columns& columns, Rng& rng) {
  const int rows = z.rows(), choice = rng.below(5), i = rng.below(rows);
  if (choice == 0 || z.size() == 0) {
    const auto column = random_column(rows, rng);
    z.add(to_bits(column));
    columns.push_back(column);
    return;
  }
  const int k = rng.below(z.size());
  if (choice == 1) {
    z.add_own(i);
    columns.emplace_back(rows, 0);
    columns.back()[i] = 1;
  } else if (choice == 2) {
    z.drop(k);
    std::swap(columns[k], columns.back());
    columns.pop_back();
  } else if (choice == 3) {
    columns[k] = random_column(rows, rng);
    z.replace(k, to_bits(columns[k]));
  } else {
    z.flip(i, k);
    columns[k][i] = 1 - columns[k][i];
  }
}

}  // namespace

TEST_CASE("random operations on features agree with plain columns") {
  for (int rows : {1, 5, 64, 70}) {
    Rng rng(21, rows);
    Features z(rows);
    Columns columns;
    for (int n = 0; n < 500; ++n) {
      random_operation(z, columns, rng);
      check_equal(z, columns);
    }
  }
}

TEST_CASE("counts of shared rows are the entries of Z'Z") {
  Rng rng(22);
  const Features z = random_features(70, 6, rng);
  const Eigen::MatrixXd d = dense(z), product = d.transpose() * d;
  for (int k = 0; k < 6; ++k)
    for (int l = 0; l < 6; ++l) CHECK(z.count_shared(k, l) == product(k, l));
}

TEST_CASE("repeats are the factorials of the frequencies of histories") {
  Rng rng(23);
  for (int n = 0; n < 50; ++n) {
    const Features z = random_features(3, rng.below(9), rng);
    std::map<std::vector<int>, int> repeats;
    for (int k = 0; k < z.size(); ++k) ++repeats[{z.at(0, k), z.at(1, k), z.at(2, k)}];
    double expected = 0;
    for (const auto& [history, times] : repeats) expected += std::lgamma(times + 1.0);
    CHECK(z.log_repeats(buffet::log_factorial) == Approx(expected).margin(1e-12));
  }
}
