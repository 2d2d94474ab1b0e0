#include <testthat/vendor/catch.h>

#include "core/number_law.h"
#include "laws.h"
#include "scale.h"

using namespace test;
using buffet::NumberLaw;
using buffet::Rng;

namespace {

/// Checks that draws have these probabilities.
template <class LogRatio>
void check_law(LogRatio log_ratio, const Law& law) {
  const int draws = scaled(100000);
  std::vector<double> seen(law.size(), 0), expected;
  for (double p : law) expected.push_back(draws * p);
  NumberLaw number_law;
  number_law.set([](int j) { return j == 0 ? 5.0 : -1e9; });  // discards the previous contents
  number_law.set(log_ratio);
  Rng rng(201);
  for (int n = 0; n < draws; ++n) ++seen.at(number_law.draw(rng));
  CHECK(chi_squared_p(seen, expected) > 1e-5);
}

auto poisson_ratio(double rate) {
  return [rate](int j) { return std::log(rate / (j + 1)); };
}

}  // namespace

TEST_CASE("numbers with the ratios of a Poisson law are Poisson") {
  for (double rate : {1e-3, 0.4, 3.0, 9.0}) check_law(poisson_ratio(rate), poisson(rate));
}

TEST_CASE("numbers with the ratios of a binomial law are binomial and never exceed its maximum") {
  for (int most : {0, 1, 4})
    check_law(
        [&](int j) { return j < most ? std::log((most - j) / (j + 1.0) * 0.6 / 0.4) : -INFINITY; },
        binomial(most, 0.6));
}

TEST_CASE("large numbers have their law even if its weights overflow") {
  NumberLaw law;
  law.set(poisson_ratio(1200));
  Moments moments(1200, 1200);
  Rng rng(202);
  for (int n = 0; n < scaled(20000); ++n) moments.add(law.draw(rng));
  CHECK(moments.largest_z() < 4.5);
}

TEST_CASE("a law without a finite sum is an error") {
  NumberLaw law;
  CHECK_THROWS_WITH(law.set([](int) { return 0.0; }), Catch::Contains("10000 features"));
}
