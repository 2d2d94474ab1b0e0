#include <testthat/vendor/catch.h>

#include <cmath>

#include "core/polya_gamma.h"
#include "scale.h"
#include "statistics.h"

using buffet::PolyaGamma;
using buffet::Rng;
using namespace test;

namespace {

constexpr double zs[] = {0, 1e-6, 1e-3, -0.3, 1, 2.8, 3, -3.2, 3.5, 10, 50, 300};

/// E exp(-t w) for w ~ PG(1, z): cosh(z / 2) / cosh(sqrt((z^2 / 2 + t) / 2)).
double laplace(double z, double t) {
  if (0.5 * z * z + t < 0) return std::cosh(z / 2) / std::cos(std::sqrt(-(0.5 * z * z + t) / 2));
  const long double half = 0.5L * std::abs(static_cast<long double>(z));
  const long double root = std::sqrt((0.5L * z * z + t) / 2);
  const long double log_cosh_ratio =
      half - root + std::log1p(std::exp(-2 * half)) - std::log1p(std::exp(-2 * root));
  return static_cast<double>(std::exp(log_cosh_ratio));
}

double mean(double z) {
  if (std::abs(z) < 0.01) return 0.25 - z * z / 48;
  return std::tanh(z / 2) / (2 * z);
}
double variance(double z) {
  const double a = std::abs(z);
  if (a < 0.01) return 1.0 / 24 - z * z / 120;
  // (sinh z - z) / (4 z^3 cosh^2(z / 2)), with both terms divided by exp(z) / 2
  const double top = 1 - std::exp(-2 * a) - 2 * a * std::exp(-a);
  return top / (2 * a * a * a * std::pow(1 + std::exp(-a), 2));
}

}  // namespace

TEST_CASE("the mean of a Polya-Gamma variable is the slope of its Laplace transform") {
  for (double z : zs) {
    INFO("z = " << z);
    const double means = PolyaGamma::means(Eigen::ArrayXd::Constant(1, z))(0);
    CHECK(means == Approx(mean(z)).epsilon(1e-10));
    const double t = 1e-6;
    CHECK(means == Approx((laplace(z, -t) - laplace(z, t)) / (2 * t)).epsilon(1e-8));
    const double slopes = (laplace(z, 1e-3) - 2 + laplace(z, -1e-3)) / 1e-6;
    CHECK(variance(z) == Approx(slopes - mean(z) * mean(z)).epsilon(1e-3).margin(1e-9));
  }
}

TEST_CASE("Polya-Gamma draws have their mean, variance and Laplace transform") {
  Rng rng(311);
  for (double z : zs) {
    INFO("z = " << z);
    Moments moments(mean(z), variance(z));
    std::vector<Moments> transforms;
    const std::vector<double> ts{0.5, 3, 20, 200};
    for (double t : ts) {
      const double l = laplace(z, t);
      transforms.emplace_back(l, laplace(z, 2 * t) - l * l);
    }
    const PolyaGamma law(z);
    for (int n = 0; n < scaled(100000); ++n) {
      const double w = law.draw(rng);
      moments.add(w);
      for (std::size_t m = 0; m < ts.size(); ++m) transforms[m].add(std::exp(-ts[m] * w));
    }
    CHECK(moments.largest_z() < 4.5);
    for (const Moments& m : transforms) CHECK(m.largest_z() < 4.5);
  }
}

// Fewer than one in a hundred proposals is rejected, so draws would not reveal an error.
TEST_CASE("a proposal is accepted if and only if the full series of its density implies it") {
  constexpr long double pi = 3.14159265358979323846L;
  for (long double x : {0.2L, 0.4L, 0.5L, 0.6L, 0.639L, 0.641L, 0.7L, 0.8L, 1.0L, 1.5L}) {
    const auto term = [x, pi](int n) {
      const long double h = n + 0.5L;
      if (x > 0.64L) return pi * h * std::exp(-h * h * pi * pi * x / 2);
      return pi * h * std::pow(2 / (pi * x), 1.5L) * std::exp(-2 * h * h / x);
    };
    long double sum = 0;
    for (int n = 0; n < 30; ++n) sum += (n % 2 == 0 ? 1 : -1) * term(n);
    const double share = static_cast<double>(sum / term(0)), gap = 0.5 * (1 - share);
    INFO("x = " << static_cast<double>(x) << ", accepted with probability " << share);
    REQUIRE(gap > 1e-10);
    for (double uniform : {0.1, 0.9, share - gap, share - 1e-12})
      CHECK(PolyaGamma::accept(static_cast<double>(x), uniform));
    for (double uniform : {share + 1e-12, share + gap})
      CHECK_FALSE(PolyaGamma::accept(static_cast<double>(x), uniform));
  }
}

// The two parts of the proposal meet at 0.64 / 4; moments would not reveal an error in their
// shares.
TEST_CASE("Polya-Gamma draws are below 0.16 as often as the inverse of their transform implies") {
  Rng rng(312);
  // P(PG(1, z) < y) = cosh(z / 2) sum_n (-1)^n [first passage of a Brownian motion by 4 y]
  const auto below = [](double z, double y) {
    double sum = 0;
    for (int n = 0; n < 40; ++n) {
      const double a = n + 0.5, s = std::sqrt(y), c = std::abs(z);
      // of exp(-2 a sqrt((z^2 / 2 + t) / 2)): an inverse Gaussian with drift c and level a
      const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
      const double passed =
          std::exp(-a * c) * phi((c * y - a) / s) + std::exp(a * c) * phi(-(c * y + a) / s);
      sum += (n % 2 == 0 ? 1 : -1) * passed;
    }
    return 2 * std::cosh(z / 2) * sum;
  };
  for (double z : {0.0, 1e-3, 1.0, 3.0, 3.2, 6.0})
    for (double y : {0.08, 0.16, 0.3}) {
      INFO("z = " << z << ", y = " << y << ", " << below(z, y));
      const double p = below(z, y);
      Moments seen(p, p * (1 - p));
      const PolyaGamma law(z);
      for (int n = 0; n < scaled(20000); ++n) seen.add(law.draw(rng) < y);
      CHECK(seen.largest_z() < 4.5);
    }
}
