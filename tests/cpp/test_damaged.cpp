#include <testthat/vendor/catch.h>

#include <Eigen/Dense>
#include <cstdint>
#include <limits>

#include "core/byte_code.h"
#include "core/draws.h"
#include "core/features.h"
#include "core/tree_sum.h"
#include "damaged.h"
#include "draws.h"

using namespace test;
using buffet::Archive;
using buffet::ByteReader;
using buffet::ByteWriter;
using buffet::Draws;
using buffet::Features;

namespace {

/// Are these numbers, as bytes, refused where a value of this type is read?
template <class T>
bool is_refused_as(T value, std::initializer_list<long> numbers) {
  Archive archive;
  for (long number : numbers) archive(number);
  const Bytes bytes = archive.take();
  return is_refused([&] { buffet::from_bytes(bytes, value); });
}

/// Is a value that is written refused where it is read by the same list of parts?
template <class List, class T>
bool is_refused_by(List list, T value) {
  Archive written;
  list(written, value);
  const Bytes bytes = written.take();
  Archive read(bytes);
  return is_refused([&] { list(read, value); });
}

bool are_refused(int rows, std::vector<int> sizes, const std::vector<std::uint64_t>& words) {
  return is_refused([&] { Draws(rows, std::move(sizes), words); });
}

}  // namespace

TEST_CASE("sizes beyond the bytes that are left are refused before there is room for them") {
  const long huge = std::numeric_limits<long>::max(), most = std::numeric_limits<int>::max();
  for (long size : {-1L, 2L, most, most + 1, huge, huge / 8 + 2}) {
    INFO(size);
    CHECK(is_refused_as(Eigen::VectorXd(3), {size, 0}));
    CHECK(is_refused_as(Eigen::ArrayXd(3), {size, 0}));
    CHECK(is_refused_as(std::vector<double>(3), {size, 0}));
    CHECK(is_refused_as(Eigen::MatrixXd(2, 2), {size, 1, 0}));
    CHECK(is_refused_as(Eigen::MatrixXd(2, 2), {size, size, 0}));
    CHECK(is_refused_as(Eigen::MatrixXd(2, 2), {1, size, 0}));
  }
  CHECK(is_refused_as(Eigen::MatrixXd(2, 2), {most, most}));
  CHECK(is_refused_as(Features(70), {1L << 30, 0, 0}));
  CHECK(is_refused_as(buffet::TreeSum(), {1L << 30, 0, 0}));
}

TEST_CASE("a flag is 0 or 1, and one whose size is known keeps it") {
  bool flag = false;
  CHECK(is_refused([&] { buffet::from_bytes({2}, flag); }));
  buffet::from_bytes({1}, flag);
  CHECK(flag);
  std::vector<int> numbers{1, 2, 3}, other(2);
  const Bytes bytes = buffet::to_bytes(numbers);
  Archive archive(bytes);
  CHECK(is_refused([&] { archive.of_same_size(other, "numbers"); }));
  Eigen::MatrixXd wide(2, 3), high(3, 2);
  const Bytes of_wide = buffet::to_bytes(wide);
  Archive of_matrix(of_wide);
  CHECK(is_refused([&] { of_matrix.of_same_size(high, "a matrix"); }));
}

TEST_CASE(
    "numbers out of their range are refused where they are read, not where they are written") {
  const double infinity = std::numeric_limits<double>::infinity(), none = std::nan("");
  const auto finite = [](double value) {
    return is_refused_by([](Archive& a, auto& read) { a.finite(read, "a number"); }, value);
  };
  const auto positive = [](double value) {
    return is_refused_by([](Archive& a, auto& read) { a.positive(read, "a number"); }, value);
  };
  const auto counter = [](int value) {
    return is_refused_by([](Archive& a, int& read) { a.counter(read, "a count"); }, value);
  };
  for (double value : {none, infinity, -infinity}) {
    CHECK(finite(value));
    CHECK(positive(value));
  }
  for (double value : {0.0, -0.0, -1.0, 1e308, 1e-310}) {
    CHECK_FALSE(finite(value));
    CHECK(positive(value));
  }
  for (double value : {1e-300, 1.0, 1e300}) CHECK_FALSE(positive(value));
  const int most = std::numeric_limits<int>::max();
  for (int value : {-1, most}) CHECK(counter(value));
  for (int value : {0, most / 2}) CHECK_FALSE(counter(value));
}

TEST_CASE("one number out of its range is enough for a vector or a matrix to be refused") {
  const auto positive = [](Archive& a, auto& read) { a.positive(read, "numbers"); };
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Ones(2, 3);
  std::vector<double> vector(3, 1.0);
  CHECK_FALSE(is_refused_by(positive, matrix));
  CHECK_FALSE(is_refused_by(positive, vector));
  CHECK_FALSE(is_refused_by(positive, std::vector<double>()));
  matrix(1, 2) = vector[2] = -1;
  CHECK(is_refused_by(positive, matrix));
  CHECK(is_refused_by(positive, vector));
}

TEST_CASE("features that are cut or altered are refused or sound") {
  Rng rng(92);
  Features z = random_features(70, 3, rng);
  z.drop(0);
  check_damaged(
      buffet::to_bytes(z), [] { return Features(70); },
      [](Features& read) {
        for (int k = 0; k < read.size(); ++k) {
          CHECK(read.count(k) > 0);
          CHECK(read.tag(k) >= 0);
          CHECK(read.tag(k) < read.tags());
          read.column(k).for_each([](int i) { CHECK(i < 70); });
        }
      });
}

TEST_CASE("kept draws are refused where bits are too few, too many or beyond the rows") {
  CHECK(Draws(70, {1, 0, 1}, {1, 1, 3, 63}).columns() == 2);
  CHECK(Draws(128, {1}, {~std::uint64_t{0}, ~std::uint64_t{0}})[0].total() == 128);
  CHECK(are_refused(70, {1, 0, 1}, {1, 1, 3}));
  CHECK(are_refused(70, {1, 0, 1}, {1, 1, 3, 0, 0}));
  CHECK(are_refused(70, {1, 0, 1}, {1, 1, 3, 64}));
  CHECK(are_refused(70, {1, 0, 1}, {1, 1 << 6, 3, 1}));
  CHECK(are_refused(70, {2, -1, 1}, {1, 1, 3, 1}));
  CHECK(are_refused(-70, {1}, {1}));
}

TEST_CASE("a reader of bytes ends where they end and believes no number that cannot be") {
  CHECK(is_refused([] { ByteReader(Bytes{}).number(); }));
  CHECK(is_refused([] { ByteReader(Bytes{128}).number(); }));
  CHECK(is_refused([] { ByteReader(Bytes{1, 2, 3}).real(); }));
  const Bytes large{255, 255, 255, 255, 7}, too_large{255, 255, 255, 255, 8},
      endless(20, static_cast<unsigned char>(128));
  CHECK(ByteReader(large).number() == std::numeric_limits<int>::max());
  CHECK(is_refused([&] { ByteReader(too_large).number(); }));
  CHECK(is_refused([&] { ByteReader(endless).number(); }));
  CHECK(is_refused([&] { ByteReader(large).count(1, "parts"); }));
  const Bytes two{2, 0, 0, 0, 0};
  CHECK(ByteReader(two).count(2, "parts") == 2);
  CHECK(is_refused([&] { ByteReader(two).count(3, "parts"); }));
  CHECK(is_refused([&] { ByteReader(two).end(); }));
  int before = 3;
  CHECK(ByteReader(two).next(before, 6, "numbers") == 5);
  before = 3;
  CHECK(is_refused([&] { ByteReader(two).next(before, 5, "numbers"); }));
  before = 3;
  CHECK(is_refused([&] { ByteReader(large).next(before, 2147483647, "numbers"); }));
}
