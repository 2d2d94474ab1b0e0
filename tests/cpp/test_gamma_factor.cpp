#include <testthat/vendor/catch.h>

#include <cmath>

#include "point/factor/loadings_factor.h"
#include "quadrature.h"

using buffet::GammaFactor;
using buffet::Hyper;
using namespace test;

namespace {

/// Log density of u = log(x), where x ~ Gamma(shape, rate).
long double log_gamma_density(long double u, double shape, double rate) {
  return shape * std::log(static_cast<long double>(rate)) -
         std::lgamma(static_cast<long double>(shape)) + shape * u - rate * std::exp(u);
}

/// E f(log x) under the factor.
template <class F>
double expected(const GammaFactor& q, F f) {
  const double peak = std::log(q.shape() / q.rate());
  const double below = peak - 90 / std::min(q.shape(), 5.0) - 2, above = peak + 6;
  return static_cast<double>(integral(
      [&](long double u) { return f(u) * std::exp(log_gamma_density(u, q.shape(), q.rate())); },
      below, above, 400));
}

void check_factor(const GammaFactor& q) {
  INFO("Gamma(" << q.shape() << ", " << q.rate() << ")");
  REQUIRE(expected(q, [](long double) { return 1.0L; }) == Approx(1).epsilon(1e-11));
  CHECK(q.mean() == Approx(expected(q, [](long double u) { return std::exp(u); })));
  CHECK(q.mean_log() == Approx(expected(q, [](long double u) { return u; })));
  const Hyper& p = q.prior();
  // The Jacobians of the two densities cancel.
  const double ratio = expected(q, [&](long double u) {
    return log_gamma_density(u, p.shape, p.rate) - log_gamma_density(u, q.shape(), q.rate());
  });
  CHECK(q.log_prior_and_entropy() == Approx(ratio).epsilon(1e-9).margin(1e-9));
}

}  // namespace

TEST_CASE("a factor adds minus its divergence from the prior, which agrees with quadrature") {
  for (double shape : {0.6, 1.0, 2.7})
    for (double rate : {0.2, 1.9}) {
      GammaFactor q(Hyper::gamma(shape, rate));
      q.start(3.7);
      check_factor(q);
      CHECK(q.mean() == Approx(3.7));
      for (double by : {0.0, 0.5, 12.0, 150.0}) {
        q.update(by, 0.3 + 2.1 * by);
        CHECK(q.shape() == Approx(shape + by));
        CHECK(q.rate() == Approx(rate + 0.3 + 2.1 * by));
        check_factor(q);
      }
    }
}

TEST_CASE("an update gives the factor with the largest bound") {
  GammaFactor q(Hyper::gamma(1.4, 0.6));
  const double power = 2.5, rate = 1.7;
  const auto bound = [&] {
    return power * q.mean_log() - rate * q.mean() + q.log_prior_and_entropy();
  };
  q.update(power, rate);
  const double best = bound();
  // The maximum is the log of the integral; no other factor attains it.
  const double log_integral = 1.4 * std::log(0.6) - std::lgamma(1.4) + std::lgamma(1.4 + power) -
                              (1.4 + power) * std::log(0.6 + rate);
  CHECK(best == Approx(log_integral));
  for (double by : {0.9, 1.1}) {
    q.update(by * power, rate);
    CHECK(bound() < best);
    q.update(power, by * rate);
    CHECK(bound() < best);
  }
}

TEST_CASE("a fixed hyperparameter is a point and adds nothing to the bound") {
  const GammaFactor q(Hyper::fixed(2.3));
  CHECK_FALSE(q.learned());
  CHECK(q.mean() == 2.3);
  CHECK(q.mean_log() == std::log(2.3));
  CHECK(q.log_prior_and_entropy() == 0);
}
