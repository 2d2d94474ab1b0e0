#include <testthat/vendor/catch.h>

#include <map>
#include <vector>

#include "core/rng.h"
#include "scale.h"
#include "statistics.h"

using buffet::Rng;
using namespace test;

namespace {

template <class Draw>
void check_moments(double mean, double variance, Draw draw) {
  const int draws = scaled(200000);
  Mean first, second;
  for (int n = 0; n < draws; ++n) {
    const double v = draw();
    first.add(v);
    second.add((v - mean) * (v - mean));
  }
  CHECK(std::abs(z_score(first.value() - mean, first.variance())) < 4.5);
  CHECK(std::abs(z_score(second.value() - variance, second.variance())) < 4.5);
}

std::vector<double> uniforms(std::uint64_t seed, std::uint64_t stream) {
  Rng rng(seed, stream);
  std::vector<double> values(50);
  for (double& v : values) v = rng.uniform();
  return values;
}

}  // namespace

TEST_CASE("uniforms are in the open unit interval, evenly") {
  Rng rng(31);
  const int draws = scaled(500000);
  std::vector<double> cells(100, 0), expected(100, draws / 100.0);
  for (int n = 0; n < draws; ++n) {
    const double u = rng.uniform();
    if (!(u > 0 && u < 1)) FAIL("uniform " << u);
    ++cells[static_cast<int>(100 * u)];
  }
  CHECK(chi_squared_p(cells, expected, 1) > 1e-5);
}

TEST_CASE("integers below n are uniform, and bernoulli has its probability") {
  Rng rng(32);
  const int draws = scaled(200000);
  std::vector<double> seen(7, 0), expected(7, draws / 7.0);
  for (int n = 0; n < draws; ++n) ++seen.at(rng.below(7));
  CHECK(chi_squared_p(seen, expected, 1) > 1e-5);
  check_moments(0.3, 0.21, [&] { return double(rng.bernoulli(0.3)); });
}

TEST_CASE("permutations are uniform on all orders") {
  Rng rng(33);
  const int draws = scaled(240000);
  std::map<std::vector<int>, double> seen;
  std::vector<int> order;
  for (int n = 0; n < draws; ++n) {
    rng.permutation(4, order);
    ++seen[order];
  }
  std::vector<double> counts;
  for (const auto& [key, count] : seen) counts.push_back(count);
  REQUIRE(counts.size() == 24);
  CHECK(chi_squared_p(counts, std::vector<double>(24, draws / 24.0), 1) > 1e-5);
}

TEST_CASE("normal and gamma draws have the moments of their laws") {
  Rng rng(34);
  check_moments(0, 1, [&] { return rng.normal(); });
  for (double shape : {0.3, 1.0, 2.7, 40.0}) {
    const double rate = 1.9;
    INFO("shape " << shape);
    check_moments(shape / rate, shape / (rate * rate), [&] { return rng.gamma(shape, rate); });
  }
}

TEST_CASE("one seed and stream gives one sequence, another seed or stream another") {
  CHECK(uniforms(1, 0) == uniforms(1, 0));
  CHECK(uniforms(1, 3) == uniforms(1, 3));
  CHECK(uniforms(1, 0) != uniforms(2, 0));
  CHECK(uniforms(1, 0) != uniforms(1, 1));
  CHECK(uniforms(1, 1) != uniforms(1, 2));
}

TEST_CASE("streams are not correlated") {
  Rng a(35, 0), b(35, 1);
  check_moments(0, 1 / 144.0, [&] { return (a.uniform() - 0.5) * (b.uniform() - 0.5); });
}
