#include <testthat/vendor/catch.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/normal_between.h"
#include "core/truncated_normal.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"

using buffet::NonnegativeNormal;
using buffet::Rng;
using namespace test;

namespace {

/// P(N(0, 1) > x) in long double, which can represent it up to x = 150.
long double upper_tail(long double x) {
  return 0.5L * boost::math::erfc(x / std::sqrt(2.0L));
}

}  // namespace

TEST_CASE("the log normal distribution function is accurate to forty standard deviations") {
  for (double x = -40; x <= 40; x += 0.0625) {
    INFO("x = " << x);
    const double expected = static_cast<double>(std::log(upper_tail(-x)));
    CHECK(buffet::log_normal_cdf(x) == Approx(expected).epsilon(1e-12).margin(2e-16));
  }
}

TEST_CASE("nonnegative normal draws have the truncated law, however far away the mean is") {
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

TEST_CASE("mean, variance and entropy of nonnegative normals agree with quadrature") {
  for (double t = -40; t <= 40; t += 0.0703125)
    for (double scale : {1e-3, 0.7, 25.0}) {
      INFO("location/scale = " << t << ", scale " << scale);
      const NonnegativeNormal a(t * scale, scale);
      const Truncated expected = truncated(t * scale, scale);
      CHECK(a.mean() == Approx(expected.mean).epsilon(1e-12).margin(0));
      CHECK(a.variance() == Approx(expected.variance).epsilon(1e-11).margin(0));
      CHECK(a.entropy() == Approx(expected.entropy).epsilon(1e-12).margin(1e-12));
    }
}

TEST_CASE("nonnegative normals far below 0 become exponential, with finite moments") {
  const double scale = 0.3;
  for (double x = 100; x <= 1e4; x *= 1.5) {
    INFO("location/scale = " << -x);
    const NonnegativeNormal a(-x * scale, scale);
    const double first = scale / x, u = 1 / (x * x);
    // The next terms in the asymptotic series are of order u^3.
    CHECK(a.mean() == Approx(first * (1 - 2 * u + 10 * u * u)).epsilon(1e-9).margin(0));
    CHECK(a.variance() == Approx(first * first * (1 - 6 * u + 50 * u * u)).epsilon(1e-9).margin(0));
    CHECK(a.entropy() == Approx(1 + std::log(first) - 2 * u).epsilon(1e-6).margin(0));
  }
  for (double x : {1e5, 1e8}) {
    const NonnegativeNormal a(-x, 1);
    CHECK(a.mean() == Approx(1 / x));
    CHECK(a.variance() == Approx(1 / (x * x)));
    CHECK(a.entropy() == Approx(1 - std::log(x)));
  }
}

TEST_CASE("moments of nonnegative normals are continuous where their formula changes") {
  for (double t : {-50.0, -12.0, -5.0, 9.0}) {
    INFO("location/scale = " << t);
    const double step = 1e-9;
    const NonnegativeNormal below(t - step, 1), above(t + step, 1);
    // The moments themselves change by less than twice the step.
    CHECK(above.mean() == Approx(below.mean()).epsilon(0).margin(3 * step));
    CHECK(above.variance() == Approx(below.variance()).epsilon(0).margin(3 * step));
    CHECK(above.entropy() == Approx(below.entropy()).epsilon(0).margin(3 * step));
    CHECK(above.mean() - below.mean() > 0);
  }
}

TEST_CASE("draws of truncated normals terminate, however far away the bounds are") {
  Rng rng(4121);
  for (double far : {1e100, 1e160, 1e250}) {
    CHECK(buffet::draw_nonnegative_normal(-far, 1, rng) <= 50 / far);
    CHECK(buffet::draw_nonnegative_normal(-far, 1, rng) >= 0);
    CHECK(buffet::draw_nonnegative_normal(far, 1, rng) == Approx(far));
    CHECK(buffet::draw_normal_between(far, 2 * far, rng) == Approx(far));
    CHECK(buffet::draw_normal_between(-2 * far, -far, rng) == Approx(-far));
  }
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(std::isfinite(buffet::draw_normal_between(-infinite, infinite, rng)));
  const auto refused = Catch::Contains("no numbers");
  CHECK_THROWS_WITH(buffet::draw_nonnegative_normal(NAN, 1, rng), refused);
  CHECK_THROWS_WITH(buffet::draw_nonnegative_normal(0, 0, rng), refused);
  CHECK_THROWS_WITH(buffet::draw_normal_between(NAN, 1, rng), refused);
  CHECK_THROWS_WITH(buffet::draw_normal_between(0, NAN, rng), refused);
}
