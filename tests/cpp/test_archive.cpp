#include <testthat/vendor/catch.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "core/byte_code.h"
#include "core/draws.h"
#include "core/features.h"
#include "core/team.h"
#include "damaged.h"
#include "draws.h"
#include "gaussian/gaussian_nonnegative.h"
#include "gaussian/gaussian_uncollapsed.h"
#include "prior/sticks.h"
#include "resumed.h"

using namespace test;
using buffet::Archive;
using buffet::ByteReader;
using buffet::ByteWriter;
using buffet::Draws;
using buffet::Features;
using buffet::GaussianCollapsed;
using buffet::GaussianNonnegative;
using buffet::GaussianUncollapsed;
using buffet::Gibbs;
using buffet::Precisions;
using buffet::Sticks;

namespace {

struct Size {
  int rows, columns;
  bool complete = true;
};

/// About a fifth of the entries are missing, including all of row 1 and all of column 0 except for
/// one row.
Eigen::MatrixXd draw_entries(Size size, Rng& rng) {
  Eigen::MatrixXd x = draw_data(random_features(size.rows, 3, rng), size.columns, {0.7, 1.4}, rng);
  if (size.complete) return x;
  for (int n = 0; n < x.size(); ++n)
    if (rng.bernoulli(0.2)) x(n) = NAN;
  x.row(1).setConstant(NAN);
  return x;
}

/// The common parts of two chains that should become equal, and their differences.
template <class Prior, class Likelihood>
struct Pair {
  using Chain = Gibbs<Prior, Likelihood>;

  buffet::GaussianData data;
  bool learns;
  double alpha;

  Pair(Size size, bool learns_, double alpha_, Rng& rng)
      : data(Eigen::MatrixXd(draw_entries(size, rng).transpose()), false),
        learns(learns_),
        alpha(alpha_) {}

  Hyper hyper(double value) const {
    return learns ? Hyper::gamma(3 * value, 3) : Hyper::fixed(value);
  }

  Chain chain(const Features& z, Rng rng) const {
    const Precisions precisions{hyper(1.7), hyper(0.6)};
    return Chain(z, Prior(data.rows(), {hyper(alpha), hyper(1.4), 0, 0}),
                 Likelihood(data, precisions), rng);
  }
  Chain one() const { return chain(Features(data.rows()), Rng(31, 2)); }
  Chain other() const {
    Rng rng(32);
    Chain chain = this->chain(random_features(data.rows(), 4, rng), Rng(33, 1));
    for (int n = 0; n < 3; ++n) chain.sweep();
    return chain;
  }
};

template <class Prior, class Likelihood>
void check_all_resumed(Size size, double alpha) {
  Rng rng(34);
  for (bool learns : {true, false}) {
    INFO((learns ? "learned" : "fixed") << " hyperparameters");
    const Pair<Prior, Likelihood> pair(size, learns, alpha, rng);
    check_resumed(pair, learns == size.complete);
  }
}

/// Enough data, missing entries, and more features than rows.
template <class Prior, class Likelihood>
void check_sizes() {
  check_all_resumed<Prior, Likelihood>({8, 3}, 1.2);
  check_all_resumed<Prior, Likelihood>({8, 4, false}, 1.2);
  check_all_resumed<Prior, Likelihood>({3, 2}, 4);
  check_all_resumed<Prior, Likelihood>({3, 3, false}, 4);
}

}  // namespace

TEST_CASE("numbers, vectors and matrices are restored, including empty ones and NaN") {
  std::vector<double> numbers{1.5, -INFINITY, -0.0, 1e-310}, other{7};
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Random(3, 2), wide(0, 4), read(1, 1);
  Eigen::VectorXd vector = Eigen::VectorXd::Random(4), none, read_vector(2);
  int integer = -3, read_integer = 0;
  transfer(numbers, other);
  CHECK(other == numbers);
  transfer(matrix, read);
  CHECK(read == matrix);
  transfer(wide, read);
  CHECK(read.rows() == 0);
  CHECK(read.cols() == 4);
  transfer(vector, read_vector);
  CHECK(read_vector == vector);
  transfer(none, read_vector);
  CHECK(read_vector.size() == 0);
  transfer(integer, read_integer);
  CHECK(read_integer == -3);
  double nan = NAN, read_nan = 0;
  transfer(nan, read_nan);
  CHECK(std::isnan(read_nan));
}

TEST_CASE("features are restored in order, whatever the previous contents") {
  Rng rng(35);
  for (int size : {0, 1, 5}) {
    Features z = random_features(70, size, rng), other = random_features(70, 3, rng);
    transfer(z, other);
    CHECK(dense(other) == dense(z));
    for (int k = 0; k < size; ++k) CHECK(other.count(k) == z.column(k).count());
  }
}

TEST_CASE("restored random numbers continue the same seed and stream") {
  Rng one(36, 2), other(37, 1);
  transfer(one, other);
  for (int step : {0, 5}) {
    one.begin(step);
    other.begin(step);
    for (int n = 0; n < 5; ++n) CHECK(one.uniform() == other.uniform());
  }
}

TEST_CASE("a restored prior gives the same odds") {
  Rng rng(38);
  const Features z = random_features(6, 4, rng);
  for (const auto& prior : prior_cases()) {
    INFO(prior.name);
    Exchangeable one = prior.fixed(6), other = prior.fixed(6);
    one.set({3.2, 0.9});
    transfer(one, other);
    for (int m = 1; m < 6; ++m) CHECK(other.log_odds_of(m) == one.log_odds_of(m));
    CHECK(other.log_own_ratio(0, 2, 1) == one.log_own_ratio(0, 2, 1));
    CHECK(other.log_prob(z) == one.log_prob(z));
  }
}

TEST_CASE("the state that a likelihood has between sweeps is restored") {
  Rng rng(39);
  const Pair<Exchangeable, GaussianUncollapsed> normal({8, 4, false}, true, 1.2, rng);
  auto one = normal.one(), other = normal.other();
  for (int n = 0; n < 5; ++n) one.sweep();
  transfer(one, other);
  CHECK(other.likelihood.loadings() == one.likelihood.loadings());
  CHECK(other.likelihood.collapsed().loadings() == one.likelihood.collapsed().loadings());
  CHECK(other.scalars() == one.scalars());
  const auto& of_one = one.likelihood.collapsed();
  auto& of_other = other.likelihood.collapsed();
  CHECK(of_other.completed().total() == of_one.completed().total());
  for (int i = 0; i < 8; ++i) CHECK(of_other.completed().row(i) == of_one.completed().row(i));

  const Pair<Exchangeable, GaussianNonnegative> nonnegative({8, 4, false}, true, 1.2, rng);
  auto first = nonnegative.one(), second = nonnegative.other();
  for (int n = 0; n < 5; ++n) first.sweep();
  transfer(first, second);
  CHECK(second.likelihood.loadings() == first.likelihood.loadings());
  CHECK(second.scalars() == first.scalars());
}

TEST_CASE("a collapsed run resumed from any sweep ends bit-identically") {
  check_sizes<Exchangeable, GaussianCollapsed>();
}

TEST_CASE("a slice run resumed from any sweep ends bit-identically") {
  check_sizes<Sticks, GaussianUncollapsed>();
}

TEST_CASE("a nonnegative run resumed from any sweep ends bit-identically") {
  check_sizes<Exchangeable, GaussianNonnegative>();
}

TEST_CASE("states that are truncated or have the wrong features are rejected") {
  Rng rng(40);
  const auto check = [](const auto& pair) {
    check_cut_chain(pair);
    CHECK(refuses_other_features(pair.one()));
  };
  check(Pair<Exchangeable, GaussianUncollapsed>({5, 3, false}, true, 1.2, rng));
  check(Pair<Exchangeable, GaussianCollapsed>({5, 3}, true, 1.2, rng));
  check(Pair<Sticks, GaussianNonnegative>({5, 3, false}, true, 1.2, rng));
}

namespace {

/// True if reading a value of this type from the bytes of these numbers fails.
template <class T>
bool is_refused_as(T value, std::initializer_list<long> numbers) {
  Archive archive;
  for (long number : numbers) archive(number);
  const Bytes bytes = archive.take();
  return is_refused([&] { buffet::from_bytes(bytes, value); });
}

bool are_refused(int rows, std::vector<int> sizes, const std::vector<std::uint64_t>& words) {
  return is_refused([&] { Draws(rows, std::move(sizes), words); });
}

}  // namespace

TEST_CASE("sizes beyond the remaining bytes are rejected before memory is allocated") {
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

TEST_CASE("values of known size are rejected if they have another size") {
  std::vector<int> numbers{1, 2, 3}, other(2);
  const Bytes bytes = buffet::to_bytes(numbers);
  Archive archive(bytes);
  CHECK(is_refused([&] { archive.of_same_size(other, "numbers"); }));
  Eigen::MatrixXd wide(2, 3), high(3, 2);
  const Bytes of_wide = buffet::to_bytes(wide);
  Archive of_matrix(of_wide);
  CHECK(is_refused([&] { of_matrix.of_same_size(high, "a matrix"); }));
}

TEST_CASE("truncated features and invalid tags are rejected") {
  Rng rng(92);
  Features z = random_features(70, 3, rng);
  z.drop(0);
  const Bytes bytes = buffet::to_bytes(z);
  check_cut(bytes, [] { return Features(70); });
  // The last number is the only free tag, preceded by the count of free tags and the other two.
  for (int tag : {-1, 1, 3}) {
    Bytes altered = bytes;
    std::memcpy(&altered[bytes.size() - sizeof tag], &tag, sizeof tag);
    Features read(70);
    CHECK(is_refused([&] { buffet::from_bytes(altered, read); }));
  }
}

TEST_CASE("saved draws are rejected if bits are too few, too many or beyond the last row") {
  CHECK(Draws(70, {1, 0, 1}, {1, 1, 3, 63}).columns() == 2);
  CHECK(Draws(128, {1}, {~std::uint64_t{0}, ~std::uint64_t{0}})[0].total() == 128);
  CHECK(are_refused(70, {1, 0, 1}, {1, 1, 3}));
  CHECK(are_refused(70, {1, 0, 1}, {1, 1, 3, 0, 0}));
  CHECK(are_refused(70, {1, 0, 1}, {1, 1, 3, 64}));
  CHECK(are_refused(70, {1, 0, 1}, {1, 1 << 6, 3, 1}));
  CHECK(are_refused(70, {2, -1, 1}, {1, 1, 3, 1}));
  CHECK(are_refused(-70, {1}, {1}));
}

TEST_CASE("a reader of bytes stops at their end and rejects impossible numbers") {
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
