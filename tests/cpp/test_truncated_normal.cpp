#include <testthat/vendor/catch.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <vector>

#include "core/truncated_normal.h"
#include "scale.h"
#include "statistics.h"

using buffet::Rng;
using namespace test;

namespace {

/// P(N(0, 1) > x) in long double, which holds it up to 150.
long double upper_tail(long double x) {
  return 0.5L * boost::math::erfc(x / std::sqrt(2.0L));
}

}  // namespace

TEST_CASE(
    "the logarithm of the normal distribution function is right to forty standard deviations") {
  for (double x = -40; x <= 40; x += 0.0625) {
    INFO("x = " << x);
    const double expected = static_cast<double>(std::log(upper_tail(-x)));
    CHECK(buffet::log_normal_cdf(x) == Approx(expected).epsilon(1e-12).margin(2e-16));
  }
}

TEST_CASE("nonnegative normal draws have the truncated law, however far the mean is") {
  Rng rng(151);
  const int draws = scaled(20000), cells = 20;
  const double sd = 0.7;
  for (double mean : {-40.0, -12.0, -3.0, -0.5, -0.44, -0.4, 0.0, 0.3, 2.0, 40.0}) {
    INFO("mean of " << mean << " standard deviations");
    std::vector<double> seen(cells, 0), expected(cells, draws / double(cells));
    for (int n = 0; n < draws; ++n) {
      const double draw = buffet::draw_nonnegative_normal(mean * sd, sd, rng);
      REQUIRE(draw >= 0);
      const auto above = static_cast<double>(upper_tail(draw / sd - mean) / upper_tail(-mean));
      ++seen[std::min(static_cast<int>(above * cells), cells - 1)];
    }
    CHECK(chi_squared_p(seen, expected) > 1e-5);
  }
}
