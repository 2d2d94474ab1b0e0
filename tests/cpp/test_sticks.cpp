#include <testthat/vendor/catch.h>

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "draws.h"
#include "prior/sticks.h"
#include "scale.h"
#include "statistics.h"

using buffet::Sticks;
using namespace test;

namespace {

Sticks sticks(const PriorCase& prior, int rows) {
  return Sticks(rows, prior.spec());
}

/// Log odds of the probability of feature k, which are the log odds for a row that is not the only
/// one with the feature.
double log_odds_of(const Sticks& prior, Features z, int k) {
  if (z.is_own(0, k)) z.flip(1, k);
  return prior.log_odds(z, 0, k);
}

double probability(const Sticks& prior, const Features& z, int k) {
  return 1 / (1 + std::exp(-log_odds_of(prior, z, k)));
}

/// The slice is uniform on this interval.
struct Slices {
  double least, most;
  Slices(int rows, const Parameters& p) {
    const double off = p.c + (p.n_features > 0 ? 0 : p.discount);
    const double scale = rows + std::max(0.0, off - 1);
    least = 0.05 / scale;
    most = 0.15 / scale;
  }
};

/// log p(Z | probabilities), with independent bits.
double log_joint(const Features& z, const std::vector<double>& log_odds) {
  double sum = 0;
  for (int k = 0; k < z.size(); ++k) {
    const int count = counts_of(z)[k];
    sum -= count * std::log1p(std::exp(-log_odds[k])) +
           (z.rows() - count) * std::log1p(std::exp(log_odds[k]));
  }
  return sum;
}

template <class F>
double integral(F f, double from, double to) {
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(f, from, to, 8, 1e-9);
}

/// Law of the number of features without rows above a slice.
struct Unused {
  const Parameters& p;
  int rows;

  /// The mean number of such features or, in the finite model, the probability of each.
  double mass(double slice) const {
    if (p.n_features > 0)
      return boost::math::ibetac(p.alpha * p.c / p.n_features, rows + p.c, slice);
    if (p.c == 1 && p.discount == 0) {
      double sum = -std::log(slice);
      for (int i = 1; i <= rows; ++i) sum -= std::pow(1 - slice, i) / i;
      return p.alpha * sum;
    }
    const double constant = std::exp(std::lgamma(1 + p.c) - std::lgamma(1 - p.discount) -
                                     std::lgamma(p.c + p.discount));
    const auto intensity = [&](double log_pi) {
      return std::exp(-p.discount * log_pi) *
             std::pow(-std::expm1(log_pi), rows - 1 + p.c + p.discount);
    };
    return p.alpha * constant * integral(intensity, std::log(slice), 0.0);
  }

  double probability(int number, double slice) const {
    const double m = mass(slice), n = number;
    if (p.n_features == 0) return std::exp(n * std::log(m) - m - std::lgamma(n + 1));
    if (number > p.n_features) return 0;
    return std::exp(std::lgamma(p.n_features + 1.0) - std::lgamma(n + 1) -
                    std::lgamma(p.n_features - n + 1)) *
           std::pow(m, n) * std::pow(1 - m, p.n_features - n);
  }

  double mean_probability(int number, Slices s) const {
    return integral([&](double x) { return probability(number, x); }, s.least, s.most) /
           (s.most - s.least);
  }

  /// Probability that there is no such feature above x, where x is above the slice.
  double largest_below(double x, Slices s) const {
    if (x >= 1) return 1;
    if (x >= s.most) return probability(0, x);
    return mean_probability(0, s);
  }
};

}  // namespace

TEST_CASE("odds given the probabilities equal differences of the density of the matrix") {
  Rng rng(161);
  for (const auto& prior : prior_cases())
    for (int n = 0; n < 50; ++n) {
      INFO(prior.name);
      const int rows = 2 + rng.below(6);
      Features z = random_features(rows, rng.below(4), rng);
      Sticks s = sticks(prior, rows);
      s.represent(z, rng);
      std::vector<double> log_odds;
      for (int k = 0; k < z.size(); ++k) log_odds.push_back(log_odds_of(s, z, k));
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < z.size(); ++k) {
          const double odds = s.log_odds(z, i, k), before = log_joint(z, log_odds);
          if (std::isinf(odds)) continue;
          const double by = z.at(i, k) ? -1 : 1;
          z.flip(i, k);
          const double after = log_joint(z, log_odds);
          CHECK(odds == Approx(by * (after - before)).epsilon(1e-9).margin(1e-9));
          if (rng.bernoulli(0.7)) z.flip(i, k);
        }
    }
}

TEST_CASE("probabilities of features in use are beta given their counts") {
  Rng rng(162);
  const int draws = scaled(20000), cells = 20, rows = 5;
  for (const auto& prior : prior_cases())
    for (int count : {1, 3, 5}) {
      INFO(prior.name << ", count " << count);
      const Parameters& p = prior.parameters;
      const bool finite = p.n_features > 0;
      const double on = count + (finite ? p.alpha * p.c / p.n_features : -p.discount);
      const double off = rows - count + p.c + (finite ? 0 : p.discount);
      Eigen::MatrixXd column = Eigen::MatrixXd::Zero(rows, 1);
      column.topRows(count).setOnes();
      Sticks s = sticks(prior, rows);
      std::vector<double> seen(cells, 0), expected(cells, draws / double(cells));
      for (int n = 0; n < draws; ++n) {
        Features z = from_dense(column);
        s.represent(z, rng);
        const double u = boost::math::ibeta(on, off, probability(s, z, 0));
        ++seen[std::min(static_cast<int>(u * cells), cells - 1)];
      }
      CHECK(chi_squared_p(seen, expected) > 1e-5);
    }
}

TEST_CASE("unused features above the slice have the number and the maximum of their process") {
  Rng rng(163);
  const int draws = scaled(100000), rows = 3;
  const std::vector<double> cuts{0, 0.06, 0.1, 0.2, 0.35, 0.5, 0.7, 1};
  for (const auto& prior : prior_cases()) {
    INFO(prior.name);
    const Unused law{prior.parameters, rows};
    Sticks s = sticks(prior, rows);
    std::vector<double> numbers(30, 0), expected(30, 0), largest(8, 0), expected_largest(8, 0);
    for (int n = 0; n < draws; ++n) {
      Features z(rows);
      const int unused = s.represent(z, rng);
      REQUIRE(unused == z.size());
      double most = 0;
      for (int k = 0; k < unused; ++k) most = std::max(most, probability(s, z, k));
      ++numbers.at(std::min(unused, 29));
      ++largest[std::lower_bound(cuts.begin(), cuts.end(), most) - cuts.begin()];
    }
    expected[29] = draws;  // 29 or more
    for (int n = 0; n < 29; ++n)
      expected[29] -= expected[n] = draws * law.mean_probability(n, Slices(rows, law.p));
    CHECK(chi_squared_p(numbers, expected) > 1e-5);
    double before = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      const double now = law.largest_below(cuts[c], Slices(rows, law.p));
      expected_largest[c] = draws * (now - before);
      before = now;
    }
    CHECK(chi_squared_p(largest, expected_largest) > 1e-5);
  }
}

TEST_CASE("a row can lose a feature below the slice unless it is the last row with it") {
  Rng rng(164);
  const int draws = scaled(20000), rows = 4;
  Eigen::MatrixXd matrix(rows, 2);
  matrix << 1, 1, 0, 1, 0, 0, 0, 0;
  for (const auto& prior : prior_cases()) {
    INFO(prior.name);
    Sticks s = sticks(prior, rows);
    const Slices slices(rows, prior.parameters);
    int held = 0, below = 0, between = 0;
    for (int n = 0; n < draws; ++n) {
      Features z = from_dense(matrix);
      s.represent(z, rng);
      const double pi = probability(s, z, 0);
      CHECK(std::isfinite(s.log_odds(z, 0, 1)));
      CHECK(std::isfinite(s.log_odds(z, 1, 1)));
      const bool holds = std::isinf(s.log_odds(z, 0, 0));
      held += holds;
      below += pi < slices.least;
      between += pi >= slices.least && pi < slices.most;
      if (pi < slices.least) CHECK(holds);
      if (pi > slices.most) CHECK(!holds);
    }
    CHECK(below > 20);
    CHECK(held > below);
    CHECK(held < below + between);
  }
}

TEST_CASE("slices with too many unused features cause an error before memory is exhausted") {
  Rng rng(165);
  const Sticks prior = sticks({"", {1.4, 0.6, 0.95, 0}, false}, 3);
  const auto represent = [&] {
    Features z(1000000);
    Sticks(1000000, prior.spec()).represent(z, rng);
  };
  CHECK_THROWS_WITH(represent(), Catch::Contains("discount"));
}
