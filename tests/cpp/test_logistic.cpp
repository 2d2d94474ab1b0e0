#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <limits>

#include "gaussian_case.h"
#include "gibbs/logistic_predict.h"
#include "likelihood/logistic.h"
#include "logistic_case.h"
#include "quadrature.h"
#include "scale.h"
#include "statistics.h"

using buffet::LogisticNeal;
using namespace test;

namespace {

/// Log likelihood of row i with these features, given the weights in a likelihood.
double row_log_lik(const LogisticCase& s, const Logistic& likelihood, const Features& z, int i) {
  return log_prob_row(s.y, log_odds(dense(z), likelihood.weights(), s.b), i);
}

void check_row_of(const LogisticCase& s, const Logistic& likelihood, const Features& z, int i) {
  const double here = row_log_lik(s, likelihood, z, i);
  for (int k = 0; k < z.size(); ++k) {
    Features other = z;
    other.flip(i, k);
    const double there = row_log_lik(s, likelihood, other, i), by = z.at(i, k) ? -1 : 1;
    check_close(likelihood.log_ratio(k), by * (there - here), std::abs(here) + std::abs(there));
  }
}

template <class L>
void check_ratios(double scale) {
  Rng rng(331);
  for (int n = 0; n < 200; ++n) {
    LogisticCase s = LogisticCase::random(rng, scale);
    L likelihood = s.likelihood<L>();
    for (int visit = 0; visit < 4; ++visit) {
      const int i = rng.below(s.z.rows());
      likelihood.enter(s.z, i);
      check_row_of(s, likelihood, s.z, i);
      for (int flips = 0; flips < 4 && s.z.size() > 0; ++flips) {
        const int k = rng.below(s.z.size());
        if (s.z.is_own(i, k)) continue;
        s.z.flip(i, k);
        likelihood.flip(k);
        check_row_of(s, likelihood, s.z, i);
      }
      const auto ratio = [](int j) { return std::log(0.9 / (j + 1)); };
      likelihood.leave(s.z, likelihood.draw_own(ratio, rng));
      REQUIRE((likelihood.weights().cols() == s.z.size()));
      s.w = likelihood.weights();
      check_close(likelihood.log_lik(s.z), s.log_lik(), std::abs(s.log_lik()));
    }
  }
}

}  // namespace

TEST_CASE("ratios given logistic weights equal differences of the probability of the row") {
  check_ratios<Logistic>(1.6);
  check_ratios<LogisticNeal>(1.6);
}
TEST_CASE("ratios given logistic weights of size 100 equal differences of log probabilities") {
  check_ratios<Logistic>(60);
}

TEST_CASE("the logistic likelihood agrees with the entries before and after an update") {
  Rng rng(332);
  for (int n = 0; n < 200; ++n) {
    LogisticCase s = LogisticCase::random(rng);
    Logistic likelihood = s.likelihood();
    check_close(likelihood.log_lik(s.z), s.log_lik());
    const Eigen::MatrixXd p = probabilities(s.z, likelihood);
    likelihood.update(s.z, rng);
    CHECK((likelihood.bias().isZero() == !s.bias));
    s.w = likelihood.weights();
    s.b = likelihood.bias();
    check_close(likelihood.log_lik(s.z), s.log_lik());
    const Eigen::MatrixXd all = likelihood.loadings();
    CHECK((all.rightCols(s.z.size()) == s.w));
    if (s.bias) CHECK((all.col(0) == s.b));
  }
}

TEST_CASE("log densities of weights and bias are normal log densities") {
  Rng rng(333);
  for (int n = 0; n < 50; ++n) {
    const LogisticCase s = LogisticCase::random(rng);
    const auto log_density = [](double v, double sd) {
      return -0.5 * v * v / (sd * sd) - std::log(sd) - 0.5 * std::log(2 * M_PI);
    };
    double sum = 0;
    for (int m = 0; m < s.w.size(); ++m) sum += log_density(s.w(m), s.sigma_a);
    for (int j = 0; j < s.b.size() && s.bias; ++j) sum += log_density(s.b(j), s.sigma_b);
    check_close(s.likelihood().log_hyperprior(), sum);
  }
}

namespace {

/// Three rows that share a feature. The second row has a missing entry, and singletons.
struct SharedRow {
  Eigen::MatrixXd y{3, 3};
  Features z{3};
  Eigen::MatrixXd w{3, 1};
  Eigen::VectorXd bias{3};
  BinaryData data;
  double sigma_a = 1.7;

  SharedRow() : data(as_binary(values())) {
    y = values();
    z = from_dense(Eigen::MatrixXd::Ones(3, 1));
    w << 0.7, -1.4, 1.2;
    bias << -0.5, 0.2, 0.3;
  }
  static Eigen::MatrixXd values() {
    Eigen::MatrixXd y(3, 3);
    y << 1, 0, 0, 0, 1, NAN, 1, 0, 1;
    return y;
  }
  double psi(int j) const { return w(j) + bias(j); }

  /// Expectation of f(total), where `total` is the sum of the weights of this many singletons in
  /// column j.
  template <class F>
  double expected(int own, int j, F f) const {
    const double sd = std::sqrt(own) * sigma_a;
    return double(integral(
        [&](long double t) {
          const long double log_density =
              -0.5L * t * t / (sd * sd) + log_prob_entry(y(1, j), psi(j) + t);
          return f(double(t)) * std::exp(log_density) / (sd * std::sqrt(2 * M_PI));
        },
        -12 * sd, 12 * sd, 64));
  }
};

/// Repeatedly draws the row's singletons; use(number, weights) receives each draw.
template <class L, class Ratio, class Use>
void draw_own_again(SharedRow& s, Ratio ratio, Use use) {
  Rng rng(334);
  L likelihood(s.data, fixed_scales(s.sigma_a, 1, true));
  likelihood.set_weights(s.w, s.bias);
  for (int n = -50; n < scaled(50000); ++n) {
    likelihood.enter(s.z, 1);
    for (int flips = 0; flips < 2; ++flips) likelihood.flip(0);  // flip and flip back
    const int own = likelihood.draw_own(ratio, rng);
    likelihood.leave(s.z, own);
    REQUIRE(s.z.size() == 1 + own);
    if (n >= 0) use(own, likelihood.weights());
  }
}

template <class L>
void check_own_numbers() {
  SharedRow s;
  const double rate = 0.9;  // the birth of a first singleton is sometimes rejected
  std::vector<double> law(10);
  double total = 0;
  for (int j = 0; j < 10; ++j) {
    law[j] = std::exp(j * std::log(rate) - std::lgamma(j + 1.0));
    for (int d = 0; d < 3; ++d)
      law[j] *= j > 0 ? s.expected(j, d, [](double) { return 1.0; })
                      : std::exp(log_prob_entry(s.y(1, d), s.psi(d)));
    total += law[j];
  }
  std::vector<BatchMean> seen(10, BatchMean(scaled(50000), 200));
  draw_own_again<L>(
      s, [&](int j) { return std::log(rate / (j + 1)); },
      [&](int own, const Eigen::MatrixXd&) {
        for (int j = 0; j < 10; ++j) seen[j].add(own == j);
      });
  for (int j = 0; j < 7; ++j) {
    INFO("P(" << j << ") is " << law[j] / total);
    CHECK(std::abs(seen[j].z(law[j] / total)) < 4.5);
  }
}

/// Given the number of singletons, checks their weights and the sums of these in every column.
template <class L>
void check_own_weights(int own) {
  INFO(own << " own features");
  SharedRow s;
  const int draws = scaled(50000);
  std::vector<std::array<double, 4>> exact;
  std::vector<BatchMean> means(3 * 4, BatchMean(draws, 200));
  for (int d = 0; d < 3; ++d) {
    const double total = s.expected(own, d, [](double) { return 1.0; });
    const double mean = s.expected(own, d, [](double t) { return t; }) / total;
    const double square = s.expected(own, d, [](double t) { return t * t; }) / total;
    const double within = s.sigma_a * s.sigma_a * (1 - 1.0 / own);
    exact.push_back({mean, square, mean / own, within + square / (own * own)});
  }
  draw_own_again<L>(
      s, [&](int j) { return j < own ? 500.0 : -std::numeric_limits<double>::infinity(); },
      [&](int, const Eigen::MatrixXd& w) {
        for (int d = 0; d < 3; ++d) {
          const double sum = w.row(d).sum() - w(d, 0), first = w(d, 1);
          means[4 * d].add(sum);
          means[4 * d + 1].add(sum * sum);
          means[4 * d + 2].add(first);
          means[4 * d + 3].add(first * first);
        }
      });
  for (int m = 0; m < 12; ++m) CHECK(std::abs(means[m].z(exact[m / 4][m % 4])) < 4.5);
}

}  // namespace

TEST_CASE("the law of the number of singletons integrates out their logistic weights") {
  check_own_numbers<Logistic>();
}
TEST_CASE("numbers of singletons proposed from the prior have the law from quadrature") {
  check_own_numbers<LogisticNeal>();
}
TEST_CASE("logistic weights of singletons have their law given the row's residual") {
  for (int own : {1, 2, 3}) {
    check_own_weights<Logistic>(own);
    check_own_weights<LogisticNeal>(own);
  }
}

TEST_CASE("singletons are integrated out under the updated scales") {
  SharedRow s;
  const auto none = [](int) { return -std::numeric_limits<double>::infinity(); };
  Rng rng(335), same(335);
  Logistic one(s.data, fixed_scales(0.2, 1, true)), other(s.data, fixed_scales(2.5, 1, true));
  const auto draw = [&](Logistic& l, Rng& r) {
    l.set_weights(s.w, s.bias);
    l.enter(s.z, 1);
    return l.draw_own([](int j) { return std::log(3.0 / (j + 1)); }, r);
  };
  draw(one, rng);  // fills the tables for 0.2
  one.set_scales(1 / (2.5 * 2.5), 1);
  draw(other, same);
  for (int n = 0; n < 200; ++n) CHECK(draw(one, rng = Rng(n)) == draw(other, same = Rng(n)));
  one.enter(s.z, 1);
  CHECK(one.draw_own(none, rng) == 0);
}

TEST_CASE("learned precisions have Gamma laws truncated at their limits") {
  struct Case {
    double shape, rate;
  };
  for (auto [shape, rate] : std::vector<Case>{{2.3, 1.7}, {0.3, 0.02}, {1.2, 4000}, {3, 1e-4}}) {
    INFO("Gamma(" << shape << ", " << rate << ")");
    LogisticScales scales{Hyper::gamma(shape, rate), Hyper::fixed(1), false};
    scales.a.value = 0.7;
    const double weights = 3, squares = 0.04, a = shape + weights / 2, r = rate + squares / 2;
    const auto expected = [&](auto f) {
      return integral(
          [&](long double y) {
            return f(double(y)) * std::exp(a * (y - std::log(a / r)) - r * std::exp(y) + a);
          },
          std::log(1 / 900.0L), std::log(1e4L), 200);
    };
    const double total = double(expected([](double) { return 1.0L; }));
    const double mean = double(expected([](double y) { return y; })) / total;
    const double square = double(expected([](double y) { return y * y; })) / total;
    const int draws = scaled(40000);
    BatchMean first(draws, 200), second(draws, 200);
    Rng rng(336);
    for (int n = -20; n < draws; ++n) {
      scales.update({weights, squares}, {0, 0}, rng);
      const double y = std::log(scales.a.value);
      REQUIRE(scales.sigma_a() >= 0.00999999);
      REQUIRE(scales.sigma_a() <= 30.0000001);
      if (n < 0) continue;
      first.add(y);
      second.add(y * y);
    }
    CHECK(std::abs(first.z(mean)) < 4.5);
    CHECK(std::abs(second.z(square)) < 4.5);
    CHECK(scales.b.value == 1);
  }
}
