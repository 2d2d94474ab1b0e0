#include <testthat/vendor/catch.h>

#include <cmath>
#include <vector>

#include "core/rng.h"
#include "point/factor/gaussian_factor_predict.h"
#include "quadrature.h"

using buffet::log_density;
using buffet::NonnegativeFit;
using namespace test;

namespace {

double log_normal(double gap, double variance) {
  return -0.5 * (std::log(2 * M_PI * variance) + gap * gap / variance);
}

/// log of E N(x; a, variance), where a has a truncated normal distribution.
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
      CHECK(log_density(fit, {0}, 1, {x, 0.4}) ==
            Approx(log_mixture(x, 0.7 * t, 0.7, 0.4)).epsilon(1e-9));
      CHECK(log_density(fit, {}, 1, {x, 0.4}) == Approx(log_normal(x, 0.4)));
    }
}

TEST_CASE("the widest of several loadings is integrated; the others enter by mean and variance") {
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
    CHECK(log_density(fit, held, 0, {x, 0.3}) == Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("a row with uncertain bits is a mixture, with loadings independent or jointly normal") {
  buffet::Rng rng(342);
  for (bool joint : {false, true}) {
    buffet::NormalFit fit{Eigen::MatrixXd(2, 4), Eigen::MatrixXd(2, 4), {}, {}, 0.3};
    for (int n = 0; n < 8; ++n) {
      fit.mean(n) = 2 * rng.normal();
      fit.variances(n) = 0.1 + rng.uniform();
    }
    Eigen::MatrixXd v = fit.variances.row(1).asDiagonal();
    if (joint) {
      v(0, 2) = v(2, 0) = 0.04;
      fit.covariances = {Eigen::MatrixXd::Identity(4, 4), v};
      fit.covariance_of = {0, 1};
    }
    const Eigen::Vector4d on(1, 0.3, 0.6, 0);
    for (double x : {-2.0, 0.4, 3.0}) {
      double sum = 0;
      for (int bits = 0; bits < 4; ++bits) {
        const Eigen::Vector4d z(1, bits & 1, bits >> 1, 0);
        const double p = (z(1) > 0 ? 0.3 : 0.7) * (z(2) > 0 ? 0.6 : 0.4);
        sum += p * std::exp(log_normal(x - fit.mean.row(1).dot(z), 0.3 + z.dot(v * z)));
      }
      CHECK(log_density(fit, Eigen::VectorXd(on), 1, x) == Approx(std::log(sum)).epsilon(1e-12));
    }
  }
}

TEST_CASE("the uncertain bits that matter are summed over; the others enter by their moments") {
  buffet::NormalFit fit{Eigen::MatrixXd(1, 8), Eigen::MatrixXd::Constant(1, 8, 0.01), {}, {}, 1};
  fit.mean << 3, 0.1, -2, 0.1, 4, -0.1, 2, 0.1;
  const Eigen::VectorXd on = Eigen::VectorXd::Constant(8, 0.4);
  for (double x : {-1.0, 2.0, 6.0}) {
    double sum = 0;
    for (int bits = 0; bits < 256; ++bits) {
      double mean = 0, variance = 1, p = 1;
      for (int k = 0; k < 8; ++k) {
        const bool held = bits >> k & 1;
        p *= held ? 0.4 : 0.6;
        if (!held) continue;
        mean += fit.mean(k);
        variance += 0.01;
      }
      sum += p * std::exp(log_normal(x - mean, variance));
    }
    CHECK(log_density(fit, on, 0, x) == Approx(std::log(sum)).epsilon(1e-3));
  }
}
