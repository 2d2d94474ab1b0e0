#include <testthat/vendor/catch.h>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <map>
#include <set>
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
  Moments moments(mean, variance);
  for (int n = 0; n < draws; ++n) moments.add(draw());
  CHECK(moments.largest_z() < 4.5);
}

std::vector<double> uniforms(Rng rng) {
  std::vector<double> values(50);
  for (double& v : values) v = rng.uniform();
  return values;
}

}  // namespace

TEST_CASE("uniforms are evenly distributed on the open unit interval") {
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

TEST_CASE("logarithms of gamma draws have their moments, even if the draws underflow") {
  Rng rng(36);
  for (double shape : {1e-4, 0.3, 0.5, 2.7, 40.0}) {
    INFO("shape " << shape);
    check_moments(boost::math::digamma(shape), boost::math::trigamma(shape),
                  [&] { return rng.log_gamma_draw(shape); });
  }
}

TEST_CASE("poisson draws have their probabilities, and are 0 if the mean is 0") {
  Rng rng(37);
  const int draws = scaled(100000);
  CHECK(rng.poisson(0) == 0);
  for (double mean : {1e-3, 0.7, 4.2, 33.0}) {
    std::vector<double> seen(100, 0), expected(100);
    for (int n = 0; n < draws; ++n) ++seen.at(rng.poisson(mean));
    for (int n = 0; n < 100; ++n)
      expected[n] = draws * std::exp(n * std::log(mean) - mean - std::lgamma(n + 1.0));
    INFO("mean " << mean);
    CHECK(chi_squared_p(seen, expected) > 1e-5);
  }
}

TEST_CASE("a seed and stream give one sequence, and another seed or stream a different one") {
  CHECK(uniforms(Rng(1, 0)) == uniforms(Rng(1, 0)));
  CHECK(uniforms(Rng(1, 3)) == uniforms(Rng(1, 3)));
  CHECK(uniforms(Rng(1, 0)) != uniforms(Rng(2, 0)));
  CHECK(uniforms(Rng(1, 0)) != uniforms(Rng(1, 1)));
  CHECK(uniforms(Rng(1, 1)) != uniforms(Rng(1, 2)));
}

TEST_CASE("the numbers of a step are determined only by seed, stream and step") {
  const auto begun = [](std::uint64_t seed, std::uint64_t stream, std::uint64_t step, int before) {
    Rng rng(seed, stream);
    for (int n = 0; n < before; ++n) rng.uniform();
    rng.begin(step);
    return uniforms(rng);
  };
  CHECK(begun(1, 0, 5, 0) == begun(1, 0, 5, 17));
  CHECK(begun(1, 3, 5, 0) == begun(1, 3, 5, 1));
  std::set<std::vector<double>> all{uniforms(Rng(1, 0))};
  for (int seed = 1; seed < 9; ++seed)
    for (int stream = 0; stream < 8; ++stream)
      for (int step = 0; step < 8; ++step) all.insert(begun(seed, stream, step, 0));
  CHECK(all.size() == 513);
}

TEST_CASE("the first numbers of successive steps are uniform and uncorrelated") {
  Rng rng(38, 1);
  double before = 0.5;
  std::uint64_t step = 0;
  const auto next = [&] {
    rng.begin(step++);
    return rng.uniform() - 0.5;
  };
  check_moments(0, 1 / 12.0, next);
  check_moments(0, 1 / 144.0, [&] {
    const double now = next(), product = now * before;
    before = now;
    return product;
  });
}

TEST_CASE("streams are uncorrelated") {
  Rng a(35, 0), b(35, 1);
  check_moments(0, 1 / 144.0, [&] { return (a.uniform() - 0.5) * (b.uniform() - 0.5); });
}
