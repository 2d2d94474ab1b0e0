#include <testthat/vendor/catch.h>

#include <cmath>

#include "core/special.h"

TEST_CASE("log gamma, factorial and beta satisfy their recurrences") {
  CHECK(buffet::log_factorial(0) == 0);
  CHECK(buffet::log_factorial(1) == 0);
  CHECK(buffet::log_factorial(5) == Approx(std::log(120)).epsilon(1e-14));
  CHECK(buffet::log_gamma(0.5) == Approx(0.5 * std::log(std::acos(-1.0))).epsilon(1e-14));
  for (double x : {1e-8, 0.3, 1.0, 2.0, 17.5, 1e6}) {
    CHECK(buffet::log_gamma(x + 1) - buffet::log_gamma(x) == Approx(std::log(x)).epsilon(1e-8));
    CHECK(buffet::log_beta(x, 2.5) ==
          Approx(std::lgamma(x) + std::lgamma(2.5) - std::lgamma(x + 2.5)).epsilon(1e-8));
  }
}
