#include <testthat/vendor/catch.h>

#include <cmath>

#include "draws.h"
#include "point/variational/orthant.h"
#include "quadrature.h"

using namespace test;
using buffet::OrthantNormal;

namespace {

struct Problem {
  Eigen::MatrixXd q;
  Eigen::VectorXd h;

  Problem(int size, double spread, Rng& rng) {
    const Eigen::MatrixXd root = draw_normal(size, size + 2, 1, rng);
    q = root * root.transpose() + 0.3 * Eigen::MatrixXd::Identity(size, size);
    h = draw_normal(size, 1, spread, rng);
  }
};

OrthantNormal::Sites no_sites(Eigen::Index size) {
  return {Eigen::VectorXd::Zero(size), Eigen::VectorXd::Zero(size)};
}

/// The integral and the mean, from two-dimensional quadrature.
struct Exact {
  double log_integral;
  Eigen::Vector2d mean;

  explicit Exact(const Problem& p) {
    const Eigen::Vector2d sd = p.q.inverse().diagonal().cwiseSqrt(), free = p.q.inverse() * p.h;
    const auto moment = [&](auto f) {
      const auto inner = [&](long double first) {
        return integral(
            [&](long double second) {
              const Eigen::Vector2d a(static_cast<double>(first), static_cast<double>(second));
              return f(a) * std::exp(static_cast<long double>(-0.5 * a.dot(p.q * a) + p.h.dot(a)));
            },
            0, std::max(0.0, free(1)) + 12 * sd(1));
      };
      return integral(inner, 0, std::max(0.0, free(0)) + 12 * sd(0));
    };
    const long double total = moment([](const auto&) { return 1.0L; });
    log_integral = static_cast<double>(std::log(total));
    for (int k = 0; k < 2; ++k)
      mean(k) = static_cast<double>(
          moment([&](const auto& a) { return static_cast<long double>(a(k)); }) / total);
  }
};

/// The same fixed point as in the core, reached by parallel damped updates of all constraints in
/// which everything is recomputed.
struct Parallel {
  Eigen::VectorXd mean;
  double log_integral;

  explicit Parallel(const Problem& p) {
    const auto size = p.h.size();
    Eigen::VectorXd precision = Eigen::VectorXd::Zero(size), shift = precision;
    Eigen::MatrixXd v;
    for (int n = 0; n < 5000; ++n) {
      v = (p.q + Eigen::MatrixXd(precision.asDiagonal())).inverse();
      mean = v * (p.h + shift);
      for (int k = 0; k < size; ++k) {
        const double without = 1 / (1 / v(k, k) - precision(k));
        const double location = without * (mean(k) / v(k, k) - shift(k));
        const Truncated a = truncated(location, std::sqrt(without));
        precision(k) += 0.3 * (1 / a.variance - 1 / without - precision(k));
        shift(k) += 0.3 * (a.mean / a.variance - location / without - shift(k));
      }
      if (n > 300) break;
    }
    v = (p.q + Eigen::MatrixXd(precision.asDiagonal())).inverse();
    mean = v * (p.h + shift);
    log_integral = 0.5 * std::log((2 * M_PI * v).determinant()) + 0.5 * mean.dot(p.h + shift);
    for (int k = 0; k < size; ++k) {
      const double without = 1 / (1 / v(k, k) - precision(k));
      const double location = without * (mean(k) / v(k, k) - shift(k));
      // The site times its cavity integrates to the mass that satisfies the constraint.
      const double both = 1 / (precision(k) + 1 / without);
      const double at = both * (shift(k) + location / without);
      log_integral += truncated(location, std::sqrt(without)).log_mass -
                      0.5 * std::log(both / without) - 0.5 * at * at / both +
                      0.5 * location * location / without;
    }
  }
};

/// One pass over the constraints; mean and covariance are recomputed after each.
OrthantNormal::Sites one_pass(const Problem& p, OrthantNormal::Sites sites) {
  for (int k = 0; k < p.h.size(); ++k) {
    const Eigen::MatrixXd q = p.q + Eigen::MatrixXd(sites.precision.asDiagonal());
    const Eigen::MatrixXd v = q.inverse();
    const double mean = v.row(k).dot(p.h + sites.shift);
    const double without = 1 / (1 / v(k, k) - sites.precision(k));
    const double location = without * (mean / v(k, k) - sites.shift(k));
    const Truncated a = truncated(location, std::sqrt(without));
    sites.precision(k) = 1 / a.variance - 1 / without;
    sites.shift(k) = a.mean / a.variance - location / without;
  }
  return sites;
}

}  // namespace

TEST_CASE("one constraint is exact") {
  for (double h : {-30.0, -4.0, -0.3, 0.0, 1.2, 8.0}) {
    const Eigen::MatrixXd q = Eigen::MatrixXd::Constant(1, 1, 1.7);
    const Eigen::VectorXd shift = Eigen::VectorXd::Constant(1, h);
    OrthantNormal a(q, shift);
    auto sites = no_sites(1);
    a.solve(sites, 50, 1e-12);
    const Truncated exact = truncated(h / 1.7, std::sqrt(1 / 1.7));
    CHECK(a.mean()(0) == Approx(exact.mean).epsilon(1e-8));
    CHECK(a.covariance()(0, 0) == Approx(exact.variance).epsilon(1e-7));
    CHECK(
        a.log_integral() ==
        Approx(exact.log_mass + 0.5 * std::log(2 * M_PI / 1.7) + 0.5 * h * h / 1.7).epsilon(1e-9));
  }
}

TEST_CASE("several constraints are close to their integrals") {
  Rng rng(411);
  for (int n = 0; n < 8; ++n) {
    const Problem p(2, 2, rng);
    const Exact exact(p);
    OrthantNormal a(p.q, p.h);
    auto sites = no_sites(2);
    a.solve(sites, 50, 1e-10);
    CHECK(a.log_integral() == Approx(exact.log_integral).margin(0.02));
    CHECK((a.mean() - exact.mean).norm() < 0.05 * exact.mean.norm());
  }
}

TEST_CASE("the fixed point agrees with another implementation of expectation propagation") {
  Rng rng(412);
  for (int size : {2, 3, 6})
    for (double spread : {0.5, 3.0}) {
      const Problem p(size, spread, rng);
      const Parallel other(p);
      OrthantNormal a(p.q, p.h);
      auto sites = no_sites(size);
      a.solve(sites, 200, 1e-12);
      CHECK(a.log_integral() == Approx(other.log_integral).epsilon(1e-8));
      CHECK((a.mean() - other.mean).norm() < 1e-7 * (1 + other.mean.norm()));
    }
}

TEST_CASE("constraints of a pass use the changes made by earlier ones") {
  Rng rng(414);
  for (int size : {2, 3, 6}) {
    const Problem p(size, 1, rng);
    auto sites = no_sites(size);
    for (int pass = 0; pass < 3; ++pass) {
      const auto expected = one_pass(p, sites);
      OrthantNormal a(p.q, p.h);
      a.solve(sites, 1, 0);
      CHECK((sites.precision - expected.precision).norm() < 1e-7 * expected.precision.norm());
      CHECK((sites.shift - expected.shift).norm() < 1e-7 * expected.shift.norm());
    }
  }
}

TEST_CASE("passes converge from any sites, and far from the orthant") {
  Rng rng(413);
  const Problem p(4, 2, rng);
  OrthantNormal first(p.q, p.h), second(p.q, p.h);
  auto sites = no_sites(4), others = no_sites(4);
  others.precision.setConstant(3);
  others.shift.setConstant(-1);
  first.solve(sites, 200, 1e-12);
  second.solve(others, 200, 1e-12);
  CHECK(first.log_integral() == Approx(second.log_integral()).epsilon(1e-9));
  for (double far : {-1e3, -1e6, 1e6}) {
    const Eigen::VectorXd h = Eigen::VectorXd::Constant(4, far);
    OrthantNormal a(p.q, h);
    auto none = no_sites(4);
    a.solve(none, 200, 1e-9);
    CHECK(a.mean().allFinite());
    CHECK(a.mean().minCoeff() > -1e-3 * std::abs(far));
    CHECK(std::isfinite(a.log_integral()));
  }
}
