#include <testthat/vendor/catch.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/normal_between.h"
#include "core/polya_gamma.h"
#include "mixed_joint.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"

using buffet::PolyaGammaSum;

using namespace test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Named {
  std::string name;
  AnyFamily family;
  int categories;  ///< 0: numeric
};

std::vector<Named> all_families() {
  std::vector<Named> all;
  all.push_back({"normal", buffet::family<buffet::NormalFamily>(Hyper::fixed(1.7)), 0});
  all.push_back({"Bernoulli", buffet::family<buffet::BinomialFamily>(1), 2});
  all.push_back({"binomial", buffet::family<buffet::BinomialFamily>(5), 6});
  all.push_back({"counts", buffet::family<buffet::NegativeBinomialFamily>(0.3), 0});
  all.push_back(
      {"counts of known size", buffet::family<buffet::NegativeBinomialFamily>(0.3, 12.0), 0});
  all.push_back({"ordinal", buffet::family<buffet::OrdinalFamily>(4, true), 4});
  all.push_back({"categorical", buffet::family<buffet::CategoricalFamily>(3), 3});
  return all;
}

/// The mean and mean square of the first entry of eta, under a normal prior and under its posterior
/// given x, by quadrature.
std::pair<double, double> exact(const Named& of, double x, const std::vector<double>& center,
                                double precision) {
  const int width = of.family->width();
  const double sd = 1 / std::sqrt(precision), step = width == 1 ? 0.02 : 0.25;
  const int reach = static_cast<int>(6.5 / step);
  double mass = 0, first = 0, second = 0;
  std::vector<double> eta(width);
  const std::function<void(int, double)> over = [&](int p, double log_prior) {
    if (p == width) {
      const double weight = std::exp(log_prior + of.family->log_density(x, eta.data()));
      mass += weight;
      first += weight * eta[0];
      second += weight * eta[0] * eta[0];
      return;
    }
    for (int n = -reach; n <= reach; ++n) {
      eta[p] = center[p] + sd * n * step;
      over(p + 1, log_prior - 0.5 * n * n * step * step);
    }
  };
  over(0, 0);
  return {first / mass, second / mass};
}

}  // namespace

TEST_CASE("Polya-Gamma sums have the Laplace transform of PG(b, z)") {
  Rng rng(871);
  for (double b : {0.3, 1.0, 2.7, 40.0, 900.5})
    for (double z : {0.0, 0.02, 1.0, -4.0, 30.0, 200.0}) {
      INFO("b = " << b << ", z = " << z);
      const PolyaGammaSum of(b, z);
      Moments moments(of.mean(), of.variance());
      Mean transform;
      const double t = 1 / of.mean(), root = std::sqrt((0.5 * z * z + t) / 2);
      // (cosh(z / 2) / cosh(root))^b.
      const double log_exact = b * (0.5 * std::abs(z) - root + std::log1p(std::exp(-std::abs(z))) -
                                    std::log1p(std::exp(-2 * root)));
      for (int n = 0; n < scaled(20000); ++n) {
        const double draw = of.draw(rng);
        moments.add(draw);
        transform.add(std::exp(-t * draw));
      }
      CHECK(moments.largest_z() < 4.5);
      CHECK(std::abs(z_score(transform.value() - std::exp(log_exact), transform.variance())) < 4.5);
    }
}

TEST_CASE("normal laws truncated to an interval agree with quadrature") {
  Rng rng(872);
  const double ends[][2] = {{-0.3, 0.2}, {-infinite, -1}, {0.5, infinite}, {2, 2.1},
                            {5, 5.4},    {-9, -8},        {4, infinite},   {-3, 4},
                            {1, 3},      {7, 30},         {-1, 0},         {-infinite, infinite}};
  for (const auto& [a, b] : ends) {
    INFO(a << " to " << b);
    const long double from = std::max(a, -40.0), to = std::min(b, 40.0);
    const auto moment = [&, from = from, to = to](int power) {
      return integral([&](long double t) { return std::pow(t, power) * std::exp(-0.5L * t * t); },
                      from, to, 400);
    };
    const double mass = static_cast<double>(moment(0)),
                 mean = static_cast<double>(moment(1)) / mass,
                 square = static_cast<double>(moment(2)) / mass;
    CHECK(buffet::log_normal_between(a, b) ==
          Approx(std::log(mass) - 0.5 * std::log(2 * M_PI)).epsilon(1e-10));
    CHECK(buffet::mean_normal_between(a, b) == Approx(mean).epsilon(1e-8).margin(1e-12));
    Moments moments(mean, square - mean * mean);
    for (int n = 0; n < scaled(20000); ++n) {
      const double draw = buffet::draw_normal_between(a, b, rng);
      REQUIRE((draw >= a && draw <= b));
      moments.add(draw);
    }
    CHECK(moments.largest_z() < 4.5);
  }
}

TEST_CASE("the log of a product of normal probabilities is the sum of their logs") {
  Rng rng(3);
  buffet::LogNormalBetween product;
  double sum = 0;
  for (int n = 0; n < 2000; ++n) {
    double a = 3 * rng.normal(), b = a + 2 * rng.uniform();
    if (n % 7 == 0) a = -infinite;
    if (n % 11 == 0) b = infinite;
    product.add(a, b);
    sum += buffet::log_normal_between(a, b);
  }
  CHECK(product.log() == Approx(sum).epsilon(1e-10));
}

TEST_CASE("densities of categories and counts sum to one and match draws") {
  Rng rng(873);
  for (const Named& of : all_families()) {
    if (of.name == "normal") continue;
    for (double at : {-2.3, 0.1, 3.4}) {
      INFO(of.name << " at " << at);
      const std::vector<double> eta{at, 0.4, -0.9};
      const int most = of.categories > 0 ? of.categories : 4000;
      double sum = 0;
      std::vector<double> probabilities;
      for (int x = 0; x < most; ++x) {
        probabilities.push_back(std::exp(of.family->log_density(x, eta.data())));
        sum += probabilities.back();
      }
      CHECK(sum == Approx(1).epsilon(1e-8));
      const int draws = scaled(20000);
      std::vector<int> counts(most);
      for (int n = 0; n < draws; ++n) ++counts[static_cast<int>(of.family->draw(eta.data(), rng))];
      for (int x = 0; x < std::min(most, 6); ++x) {
        const double expected = draws * probabilities[x];
        if (expected < 20) continue;
        CHECK(std::abs(counts[x] - expected) < 4.5 * std::sqrt(expected));
      }
      // The expected value: the probabilities of categories, or the mean.
      std::vector<double> response(of.family->responses());
      of.family->respond(eta.data(), response.data());
      if (response.size() > 1) {
        for (int x = 0; x < most; ++x) CHECK(response[x] == Approx(probabilities[x]));
      } else {
        double mean = 0;
        for (int x = 0; x < most; ++x) mean += x * probabilities[x];
        CHECK(response[0] == Approx(mean).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("auxiliary variables leave the posterior of linear predictors invariant") {
  Rng rng(874);
  const std::vector<double> center{0.6, -0.4, 0.1};
  const double precision = 0.8;
  for (const Named& of : all_families())
    for (double x : {0.0, 1.0, 2.0}) {
      if (of.categories > 0 && x >= of.categories) continue;
      INFO(of.name << " at " << x);
      const auto [first, second] = exact(of, x, center, precision);
      const int width = of.family->width(), sweeps = scaled(shorter(100000));
      std::vector<double> eta = center, omega(width), kappa(width);
      BatchMean mean(sweeps, 100), square(sweeps, 100);
      for (int n = 0; n < sweeps; ++n) {
        of.family->augment(x, eta.data(), {omega.data(), kappa.data()}, rng);
        for (int p = 0; p < width; ++p) {
          const double both = precision + omega[p];
          eta[p] = (precision * center[p] + kappa[p]) / both + rng.normal() / std::sqrt(both);
        }
        mean.add(eta[0]);
        square.add(eta[0] * eta[0]);
      }
      CHECK(std::abs(mean.z(first)) < 4.5);
      CHECK(std::abs(square.z(second)) < 4.5);
    }
}

TEST_CASE("kernels are densities up to a constant, and working responses have their slopes") {
  for (const Named& of : all_families())
    for (double x : {0.0, 1.0}) {
      INFO(of.name << " at " << x);
      const std::vector<double> here{0.7, -0.2, 0.4}, there{-0.4, 0.3, 0.1};
      CHECK(
          of.family->log_kernel(x, here.data()) - of.family->log_kernel(x, there.data()) ==
          Approx(of.family->log_density(x, here.data()) - of.family->log_density(x, there.data())));
      if (!of.family->has_working_response()) continue;
      const double eta = 0.7, step = 1e-4, up = eta + step, down = eta - step;
      double omega = 0, kappa = 0, mean = 0, square = 0;
      of.family->work(x, eta, {&omega, &kappa});
      const auto density = [&](const double& at, double y) {
        return of.family->log_density(y, &at);
      };
      CHECK(kappa - omega * eta ==
            Approx((density(up, x) - density(down, x)) / (2 * step)).epsilon(1e-5));
      // The information is the mean square of the score.
      for (int y = 0; y < (of.categories > 0 ? of.categories : 3000); ++y) {
        const double p = std::exp(density(eta, y));
        const double score = (density(up, y) - density(down, y)) / (2 * step);
        mean += p * score;
        square += p * score * score;
      }
      CHECK(mean == Approx(0).margin(1e-6));
      CHECK(omega == Approx(square).epsilon(1e-5));
    }
}

TEST_CASE("families are unchanged after a search, and their densities are unchanged during it") {
  Rng rng(877);
  for (const Named& of : all_families()) {
    INFO(of.name);
    AnyFamily soft = of.family;
    const std::vector<double> eta{0.7, -0.2, 0.4};
    const int width = of.family->width();
    std::vector<double> omega(width), kappa(width), softer(width), unused(width);
    of.family->expect(1, eta.data(), {omega.data(), kappa.data()});
    soft->anneal(0.05);
    CHECK(soft->log_density(1, eta.data()) == of.family->log_density(1, eta.data()));
    soft->expect(1, eta.data(), {softer.data(), unused.data()});
    if (of.family->has_working_response()) CHECK(softer[0] < 0.8 * omega[0]);
    for (double progress : {0.75, 0.9, 1.0}) {
      soft->anneal(progress);
      soft->expect(1, eta.data(), {softer.data(), unused.data()});
      CHECK(softer == omega);
      CHECK(unused == kappa);
    }
  }
  AnyFamily learned = buffet::family<buffet::NormalFamily>(Hyper::gamma(2, 1));
  const buffet::ColumnSeen seen{Eigen::VectorXd::Zero(500), Eigen::MatrixXd::Zero(1, 500)};
  double sigma = 0;
  learned->anneal(0.3);
  for (double least : {std::pow(0.1, 0.4), 0.0}) {
    learned->update(seen, rng);
    learned->get(&sigma);
    CHECK((least > 0 ? sigma == Approx(least) : sigma < 0.1));
    learned->anneal(1);
  }
}

TEST_CASE("expected auxiliary variables are their means") {
  Rng rng(875);
  for (const Named& of : all_families()) {
    INFO(of.name);
    const std::vector<double> eta{0.7, -0.2, 0.4};
    const int width = of.family->width();
    std::vector<double> omega(width), kappa(width), expected_omega(width), expected_kappa(width);
    of.family->expect(1, eta.data(), {expected_omega.data(), expected_kappa.data()});
    for (int p = 0; p < width; ++p) {
      Mean mean_omega, mean_kappa;
      for (int n = 0; n < scaled(20000); ++n) {
        of.family->augment(1, eta.data(), {omega.data(), kappa.data()}, rng);
        mean_omega.add(omega[p] - expected_omega[p]);
        mean_kappa.add(kappa[p] - expected_kappa[p]);
      }
      CHECK(std::abs(z_score(mean_omega.value(), mean_omega.variance() + 1e-20)) < 4.5);
      CHECK(std::abs(z_score(mean_kappa.value(), mean_kappa.variance() + 1e-14)) < 4.5);
    }
  }
}

TEST_CASE("parameters of families have their posterior from quadrature") {
  Rng rng(876);
  struct Problem {
    const char* name;
    AnyFamily family;
    int parameter;
    std::vector<double> x, eta;
    std::function<std::vector<double>(double)> at;  ///< all parameters as a function of this
                                                    ///< parameter
    double from, to;
  };
  const std::vector<Problem> problems{{"precision",
                                       buffet::family<buffet::NormalFamily>(Hyper::gamma(2.1, 1.3)),
                                       0,
                                       {0.3, -1.2, 2.0},
                                       {0.1, 0.2, 0.4},
                                       [](double v) { return std::vector<double>{v}; },
                                       0.1,
                                       60},
                                      {"size",
                                       buffet::family<buffet::NegativeBinomialFamily>(0.3),
                                       0,
                                       {0, 4, 1, 9},
                                       {0.1, 0.2, -0.4, 0.8},
                                       [](double v) { return std::vector<double>{v}; },
                                       std::exp(-7.0),
                                       std::exp(7.0)},
                                      {"gap",
                                       buffet::family<buffet::OrdinalFamily>(3, true),
                                       1,
                                       {0, 1, 1, 2},
                                       {0.1, 0.2, -0.4, 0.8},
                                       [](double v) {
                                         return std::vector<double>{0, v};
                                       },
                                       1e-9,
                                       40},
                                      {"first cut",
                                       buffet::family<buffet::OrdinalFamily>(2, false),
                                       0,
                                       {0, 1, 1, 1},
                                       {0.1, 0.2, -0.4, 0.8},
                                       [](double v) { return std::vector<double>{v}; },
                                       -8,
                                       8}};
  for (const Problem& p : problems) {
    INFO(p.name);
    const Eigen::Map<const Eigen::VectorXd> x(p.x.data(), p.x.size());
    const buffet::ColumnSeen seen{x,
                                  Eigen::Map<const Eigen::RowVectorXd>(p.eta.data(), p.eta.size())};
    AnyFamily family = p.family;
    const bool positive = p.from > 0;
    const auto weight = [&](long double t, int power) {
      const double value = static_cast<double>(positive ? std::exp(t) : t);
      family->set(p.at(value).data());
      // The prior of a standard deviation follows from the prior of its precision.
      const bool is_sd = std::string(p.name) == "precision";
      const double log_weight = family->log_prior() + family->log_lik(seen) +
                                (is_sd      ? -2 * std::log(value)
                                 : positive ? std::log(value)
                                            : 0);
      return std::exp(static_cast<long double>(log_weight)) * std::pow(std::tanh(value / 3), power);
    };
    const double from = positive ? std::log(p.from) : p.from, to = positive ? std::log(p.to) : p.to;
    const auto mass = integral([&](long double t) { return weight(t, 0); }, from, to, 60);
    const auto exact_mean =
        integral([&](long double t) { return weight(t, 1); }, from, to, 60) / mass;
    family = p.family;
    const int sweeps = scaled(shorter(60000));
    BatchMean mean(sweeps, 100);
    std::vector<double> own(family->parameters());
    for (int n = 0; n < sweeps; ++n) {
      family->update(seen, rng);
      family->get(own.data());
      mean.add(std::tanh(own[p.parameter] / 3));
    }
    CHECK(std::abs(mean.z(static_cast<double>(exact_mean))) < 4.5);
  }
}
