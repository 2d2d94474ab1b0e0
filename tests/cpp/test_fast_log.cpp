#include <testthat/vendor/catch.h>

#include "core/cubic_table.h"
#include "core/fast_log.h"
#include "core/log_sum.h"
#include "core/rng.h"

using buffet::fast_log;
using buffet::Rng;

TEST_CASE("fast logarithms agree with the library up to the last digits") {
  Rng rng(211);
  double worst = 0;
  const auto check = [&](double x) {
    const long double exact = std::log(static_cast<long double>(x));
    const double error = std::abs(double(fast_log(x) - exact));
    worst = std::max(worst, error / std::max(1.0, std::abs(double(exact))));
  };
  for (int n = 0; n < 200000; ++n) {
    check(std::exp(700 * (2 * rng.uniform() - 1)));
    check(1 + rng.uniform());
    check(rng.uniform());
  }
  for (int part = 0; part <= 128; ++part) {
    const double edge = 1 + part / 128.0;
    for (double x : {std::nextafter(edge, 0), edge, std::nextafter(edge, 3)}) check(x);
  }
  CHECK(worst < 4e-16);
}

TEST_CASE("fast logarithms are accurate near one") {
  for (double d = 1e-3; d > 1e-16; d /= 3)
    for (double x : {1 + d, 1 - d}) CHECK(fast_log(x) == Approx(std::log(x)).epsilon(1e-13));
  CHECK(fast_log(1) == 0);
}

TEST_CASE("fast logarithms of zero, negative numbers, infinity and NaN match the library") {
  CHECK(fast_log(0) == -INFINITY);
  CHECK(fast_log(INFINITY) == INFINITY);
  CHECK(std::isnan(fast_log(-1)));
  CHECK(std::isnan(fast_log(NAN)));
  for (double x : {5e-324, 1e-310, 2.2250738585072014e-308, 1.7976931348623157e308})
    CHECK(fast_log(x) == Approx(std::log(x)).epsilon(1e-15));
}

TEST_CASE("the quick log(1 + exp(t)) agrees with the library to 1e-11, including in the tails") {
  Rng rng(212);
  for (int n = 0; n < 20000; ++n) {
    const double t = 50 * (2 * rng.uniform() - 1);
    CHECK(std::abs(buffet::quick_softplus(t) - buffet::softplus(t)) < 1e-11);
  }
  for (double t : {0.0, 36.999, 37.0, 1e4})
    for (double sign : {-1, 1})
      CHECK(std::abs(buffet::quick_softplus(sign * t) - buffet::softplus(sign * t)) < 1e-11);
}
