#include <testthat/vendor/catch.h>

#include <cmath>
#include <vector>

#include "core/rng.h"
#include "likelihood/gaussian_factor_predict.h"
#include "quadrature.h"

using buffet::log_density;
using buffet::NonnegativeFit;
using namespace test;

namespace {

double log_normal(double gap, double variance) {
  return -0.5 * (std::log(2 * M_PI * variance) + gap * gap / variance);
}

/// log of E N(x; a, variance), a the truncated normal.
double log_mixture(double x, double location, double scale, double variance) {
  const double t = location / scale;
  const long double most = scale * (std::max(t, 0.0) + 12);
  const auto density = [&](long double a) {
    const double gap = static_cast<double>(a) - location;
    return std::exp(static_cast<long double>(log_normal(x - static_cast<double>(a), variance) +
                                             log_normal(gap, scale * scale)));
  };
  return static_cast<double>(std::log(integral(density, 0, most, 200))) -
         truncated(location, scale).log_mass;
}

}  // namespace

TEST_CASE("the density of an entry of a row with one feature is the integral over its loading") {
  for (double t : {-6.0, -1.0, 0.0, 0.8, 5.0})
    for (double x : {-1.0, 0.3, 4.0}) {
      NonnegativeFit fit{Eigen::MatrixXd(2, 2), Eigen::MatrixXd(2, 2), 0.4};
      fit.location << 9, 9, 0.7 * t, 9;
      fit.scale << 9, 9, 0.7, 9;
      CHECK(log_density(fit, {0}, 1, x) == Approx(log_mixture(x, 0.7 * t, 0.7, 0.4)).epsilon(1e-9));
      CHECK(log_density(fit, {}, 1, x) == Approx(log_normal(x, 0.4)));
    }
}

TEST_CASE("of several loadings the widest is integrated, the others by mean and variance") {
  buffet::Rng rng(341);
  for (int n = 0; n < 20; ++n) {
    NonnegativeFit fit{Eigen::MatrixXd(1, 4), Eigen::MatrixXd(1, 4), 0.3};
    for (int k = 0; k < 4; ++k) {
      fit.location(k) = rng.normal();
      fit.scale(k) = 0.2 + rng.uniform();
    }
    const std::vector<int> held{3, 0, 2};
    int widest = held[0];
    double x = 2 * rng.normal(), variance = fit.variance;
    for (int k : held)
      if (truncated(fit.location(k), fit.scale(k)).variance >
          truncated(fit.location(widest), fit.scale(widest)).variance)
        widest = k;
    double rest = x;
    for (int k : held)
      if (k != widest) {
        rest -= truncated(fit.location(k), fit.scale(k)).mean;
        variance += truncated(fit.location(k), fit.scale(k)).variance;
      }
    const double expected = log_mixture(rest, fit.location(widest), fit.scale(widest), variance);
    CHECK(log_density(fit, held, 0, x) == Approx(expected).epsilon(1e-9));
  }
}
