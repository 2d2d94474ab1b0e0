#include <testthat/vendor/catch.h>

#include "laws.h"
#include "likelihood/weight_prior.h"
#include "quadrature.h"
#include "scale.h"

using namespace test;
using buffet::Copies;
using buffet::Rng;
using buffet::WeightPrior;

namespace {

constexpr double shape = 1.7, rate = 0.6;

/// Log density of the sum of n weights.
long double log_gamma_density(int n, long double s) {
  const long double a = n * static_cast<long double>(shape), b = rate;
  return a * std::log(b) - std::lgamma(a) + (a - 1) * std::log(s) - b * s;
}

/// A likelihood of the sum that is far from flat, including at zero.
double log_lik(double s) {
  return 4 * std::log((0.15 + 0.85 * s) / (1 + s)) + 7 * std::log((1 + 0.3 * s) / (1 + s));
}

auto poisson_ratio(double mean) {
  return [mean](int j) { return std::log(mean / (j + 1)); };
}
auto binomial_ratio(int most, double odds) {
  return [=](int j) { return j < most ? std::log(odds * (most - j) / (j + 1)) : -INFINITY; };
}

/// The posterior of the number of copies and of the sum of their weights, by quadrature.
struct Exact {
  Law law;
  double mean = 0, square = 0;

  template <class LogRatio>
  explicit Exact(LogRatio log_ratio) {
    double log_prior = 0, total = 0;
    for (int n = 0; n < 30 && std::isfinite(log_prior); log_prior += log_ratio(n++)) {
      const auto expected = [&](auto f) {
        if (n == 0) return static_cast<long double>(std::exp(log_lik(0))) * f(0);
        return integral(
            [&](long double y) {  // s = y^2: smooth at zero
              const long double s = y * y;
              return 2 * y * f(s) * std::exp(log_gamma_density(n, s) + log_lik(double(s)));
            },
            0, 14, 30);
      };
      const double prior = std::exp(log_prior);
      law.push_back(prior * double(expected([](long double) { return 1.0L; })));
      mean += prior * double(expected([](long double s) { return s; }));
      square += prior * double(expected([](long double s) { return s * s; }));
      total += law.back();
    }
    for (double& p : law) p /= total;
    mean /= total;
    square /= total;
    law.resize(40, 0);
  }
};

/// A chain that makes some of the steps for a row's singletons.
template <class LogRatio>
void check_posterior(LogRatio log_ratio, bool steps, bool counts) {
  INFO((steps ? "with" : "without") << " steps, " << (counts ? "with" : "without") << " counts");
  const Exact exact(log_ratio);
  const int draws = scaled(200000);
  Count count("count", exact.law, draws);
  BatchMean mean(draws, 200), square(draws, 200);
  WeightPrior prior(shape, rate);
  Rng rng(231);
  Copies now;
  for (int t = 0; t < draws; ++t) {
    now = prior.choose(now, log_ratio, log_lik, rng);
    for (int n = 0; steps && now.count > 0 && n < 3; ++n)
      now.weight = prior.step_sum(now, log_lik, rng);
    if (counts && now.count > 0) now.count = prior.draw_count(now.weight, log_ratio, rng);
    count.add(now.count);
    mean.add(now.weight);
    square.add(now.weight * now.weight);
  }
  count.check();
  CHECK(std::abs(mean.z(exact.mean)) < 4.5);
  CHECK(std::abs(square.z(exact.square)) < 4.5);
}

/// Compares the numbers of copies given their sum with their law.
template <class LogRatio>
void check_counts(double sum, LogRatio log_ratio) {
  std::vector<double> log_law{-INFINITY};
  double log_prior = 0;
  for (int n = 1; n < 400; ++n) {
    log_law.push_back(log_prior + double(log_gamma_density(n, sum)));
    log_prior += log_ratio(n);
  }
  const double largest = *std::max_element(log_law.begin(), log_law.end());
  double total = 0;
  for (double v : log_law) total += std::exp(v - largest);
  const int draws = scaled(100000);
  std::vector<double> seen(log_law.size(), 0), expected;
  for (double v : log_law) expected.push_back(draws * std::exp(v - largest) / total);
  WeightPrior prior(shape, rate);
  Rng rng(232);
  for (int t = 0; t < draws; ++t) ++seen.at(prior.draw_count(sum, log_ratio, rng));
  CHECK(seen[0] == 0);
  CHECK(chi_squared_p(seen, expected) > 1e-5);
}

}  // namespace

TEST_CASE("weights have the mean and density of their prior, including on the log scale") {
  const WeightPrior prior(shape, rate);
  CHECK(prior.mean() == Approx(shape / rate));
  for (double w : {1e-9, 0.3, 2.0, 50.0}) {
    CHECK(prior.log_density(w) == Approx(double(log_gamma_density(1, w))));
    const auto of_log = [&](double y) { return prior.log_density_of_log(y, std::exp(y)); };
    CHECK(of_log(std::log(w)) - of_log(0) ==
          Approx(prior.log_density(w) + std::log(w) - prior.log_density(1)));
    const double y = std::log(w), slope = (of_log(y + 1e-5) - of_log(y - 1e-5)) / 2e-5;
    CHECK(prior.slope_of_log(w) == Approx(slope).epsilon(1e-6));
  }
}

TEST_CASE("sums of weights have the law of their number, and are never zero") {
  Rng rng(233);
  for (int n : {1, 2, 7}) {
    Moments moments(n * shape / rate, n * shape / (rate * rate));
    for (int t = 0; t < scaled(50000); ++t) moments.add(WeightPrior(shape, rate).draw(n, rng));
    CHECK(moments.largest_z() < 4.5);
  }
  const WeightPrior tiny(1e-4, 1);
  double least = 1;
  for (int t = 0; t < 1000; ++t) least = std::min(least, tiny.draw(1, rng));
  CHECK(least > 0);
}

TEST_CASE("copies chosen among candidates have the posterior of prior and likelihood") {
  check_posterior(poisson_ratio(0.8), false, false);
  check_posterior(binomial_ratio(3, 0.7), false, false);
}

TEST_CASE(
    "copies have their posterior if their sum makes steps and their number is drawn given it") {
  check_posterior(poisson_ratio(0.8), true, false);
  check_posterior(poisson_ratio(0.8), false, true);
  check_posterior(poisson_ratio(0.8), true, true);
  check_posterior(binomial_ratio(3, 0.7), true, true);
}

TEST_CASE("numbers of copies given their sum have their law, even if the sum is large") {
  check_counts(0.02, poisson_ratio(0.9));
  check_counts(4.1, poisson_ratio(2.2));
  check_counts(90, poisson_ratio(1.1));
  check_counts(300, poisson_ratio(40));
  check_counts(4.1, binomial_ratio(3, 0.7));
  check_counts(4.1, binomial_ratio(1, 0.7));
}

TEST_CASE("parts of a sum are Dirichlet, are positive, and add up to it") {
  const WeightPrior prior(shape, rate);
  Rng rng(234);
  std::vector<double> parts;
  for (int n : {1, 2, 5}) {
    Moments moments(3.0 / n, 9.0 * (n - 1) / (n * n * (n * shape + 1)) + 1e-300);
    for (int t = 0; t < scaled(30000); ++t) {
      prior.split({n, 3}, rng, parts);
      REQUIRE(parts.size() == static_cast<std::size_t>(n));
      double sum = 0;
      for (double part : parts) sum += part;
      if (std::abs(sum - 3) > 1e-12) FAIL("parts add up to " << sum);
      if (n > 1) moments.add(parts[rng.below(n)]);
    }
    if (n > 1) CHECK(moments.largest_z() < 4.5);
  }
  prior.split({0, 0}, rng, parts);
  CHECK(parts.empty());
}

TEST_CASE("an unbounded number of features given their sum is an error") {
  WeightPrior prior(1e-6, 1);
  Rng rng(235);
  CHECK_THROWS_WITH(prior.draw_count(1e300, poisson_ratio(1e300), rng),
                    Catch::Contains("10000 features"));
}
