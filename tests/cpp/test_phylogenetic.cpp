#include <testthat/vendor/catch.h>

#include "scale.h"
#include "statistics.h"
#include "tree_case.h"

using namespace test;

namespace {

/// Features that are possible on a random tree, and their prior.
struct State {
  RawTree raw;
  double alpha;
  Features z;
  Phylogenetic prior;
  std::vector<double> log_rates;  ///< empty if pi is integrated out

  bool sampled() const { return !log_rates.empty(); }

  static State random(Rates rates, Rng& rng, int most = 5) {
    RawTree raw = random_tree(rng, 2, most);
    while (brute_force(raw, bits_of(raw.rows, 1), 1) == 0) raw = random_tree(rng, 2, most);
    raw = renumbered(raw, rng);
    const double alpha = 0.3 + 3 * rng.uniform();
    Features z(raw.rows);
    for (const int size = 1 + rng.below(6); z.size() < size;) {
      const Features one = random_features(raw.rows, 1, rng);
      if (brute_force(raw, one.column(0), 1) > 0) z.add(one.column(0));
    }
    State s{raw, alpha, z, phylogenetic(raw, Hyper::fixed(alpha), rates), {}};
    if (rates == Rates::integrated) return s;
    for (int k = 0; k < z.size(); ++k)
      s.log_rates.push_back(std::log(1e-6) + rng.uniform() * std::log(20 / 1e-6));
    set_state(s.prior, z, alpha, s.log_rates);
    return s;
  }

  /// Log rate of a column / alpha. For the column of feature k, it is a density with respect to its
  /// pi.
  double log_column(const Bits& column, int k) const {
    if (!sampled()) return double(std::log(integral_over_rates(raw, column)));
    const long double gamma = std::exp(static_cast<long double>(log_rates[k]));
    return double(std::log(brute_force(raw, column, gamma) / -std::expm1(-gamma)));
  }
};

template <class Check>
void for_random_states(std::vector<Rates> all_rates, Check check) {
  Rng rng(161);
  for (Rates rates : all_rates) {
    INFO((rates == Rates::sampled ? "pi in the state" : "pi integrated out"));
    for (int n = 0; n < 200; ++n) check(State::random(rates, rng), rng);
  }
}

const std::vector<Rates> both{Rates::integrated, Rates::sampled};

void check_close(double value, double expected, double tolerance = 1e-9) {
  if (std::isinf(expected))
    CHECK(value == expected);
  else
    CHECK(value == Approx(expected).epsilon(tolerance).margin(tolerance));
}

/// Moments of pi under the density proportional to f, which is a function of gamma.
template <class F>
Moments moments_of_pi(F density_of_pi) {
  const auto expected = [&](auto g) {
    const auto f = [&](long double gamma) {
      return g(-std::expm1(-gamma)) * density_of_pi(gamma) * std::exp(-gamma);
    };
    return integral(f, 0, 12, 12) + integral(f, 12, 60, 12);
  };
  const long double total = expected([](long double) { return 1.0L; });
  const long double mean = expected([](long double pi) { return pi; }) / total;
  const long double square = expected([](long double pi) { return pi * pi; }) / total;
  return Moments(double(mean), double(square - mean * mean));
}

double pi_of(double log_gamma) {
  return -std::expm1(-std::exp(log_gamma));
}

}  // namespace

TEST_CASE("log probabilities of features on a tree equal the formula of the process") {
  for_random_states(both, [](const State& s, Rng&) {
    double expected = s.z.size() * std::log(s.alpha) - std::lgamma(s.z.size() + 1.0);
    for (int k = 0; k < s.z.size(); ++k) expected += s.log_column(s.z.column(k), k);
    expected -= s.alpha * TreeProcess(s.raw).features();
    check_close(s.prior.log_prob(s.z), expected);
  });
}

TEST_CASE("odds on a tree equal the difference of log probabilities, before and after flips") {
  for_random_states(both, [](State s, Rng& rng) {
    for (int step = 0; step < 20; ++step) {
      const int i = rng.below(s.raw.rows), k = rng.below(s.z.size());
      Features other = s.z;
      other.flip(i, k);
      if (s.z.is_own(i, k)) continue;
      Phylogenetic flipped = s.prior;
      flipped.flipped(other, i, k);
      const double before = s.prior.log_prob(s.z), after = flipped.log_prob(other);
      const double odds = s.prior.log_odds(s.z, i, k);
      const double difference = s.z.at(i, k) ? before - after : after - before;
      check_close(odds, difference, 1e-10);
      check_close(flipped.log_odds(other, i, k), odds, 1e-12);
      if (std::isinf(after)) continue;
      s.z = other;
      s.prior = flipped;
    }
  });
}

TEST_CASE("numbers of a row's singletons on a tree are Poisson with the rate of its column") {
  for_random_states(both, [](const State& s, Rng& rng) {
    const int i = rng.below(s.raw.rows);
    const double rate = double(integral_over_rates(s.raw, bits_of(s.raw.rows, 1 << i)));
    for (int j = 0; j < 3; ++j)
      check_close(s.prior.log_own_ratio(i, s.z.size(), j), std::log(s.alpha * rate / (j + 1)),
                  1e-8);
  });
}

TEST_CASE(
    "laws of the number of copies on a tree equal differences of log probabilities of classes") {
  for_random_states({Rates::integrated}, [](const State& s, Rng& rng) {
    REQUIRE(s.prior.counts_copies());
    Features z = s.z;
    const Bits rows = z.column(rng.below(z.size()));
    for (int k = z.size() - 1; k >= 0; --k)
      if (z.column(k) == rows) z.drop(k);
    const int others = z.size();
    for (int j = 0; j < 3; ++j) {
      const double before = s.prior.log_prob_lof(z);
      z.add(rows);
      check_close(s.prior.log_copies(rows) + s.prior.log_number_ratio(others, j),
                  s.prior.log_prob_lof(z) - before);
    }
  });
}

TEST_CASE("a replaced column on a tree changes the log probability as predicted") {
  for_random_states(both, [](const State& s, Rng& rng) {
    Features z = s.z;
    Phylogenetic prior = s.prior;
    const int k = rng.below(z.size());
    const Bits column = random_features(z.rows(), 1, rng).column(0);
    const double ratio = prior.log_ratio_replaced(z, k, column);
    z.replace(k, column);
    prior.replaced(z, k);
    check_close(ratio, prior.log_prob(z) - s.prior.log_prob(s.z), 1e-10);
    if (std::isinf(ratio)) return;
    const int i = rng.below(z.rows());
    if (z.is_own(i, k)) return;
    Features other = z;
    other.flip(i, k);
    check_close(prior.log_odds(z, i, k),
                (z.at(i, k) ? 1 : -1) * (prior.log_prob(z) - prior.log_prob(other)), 1e-10);
  });
}

TEST_CASE("equal columns on a tree are interchangeable only if pi is integrated out") {
  for_random_states(both, [](const State& s, Rng&) {
    const double repeats = s.sampled() ? 0 : s.z.log_repeats(buffet::log_factorial);
    check_close(s.prior.log_prob_lof(s.z),
                s.prior.log_prob(s.z) + std::lgamma(s.z.size() + 1.0) - repeats);
  });
}

TEST_CASE(
    "on a star, the phylogenetic prior has the same probabilities as the exchangeable prior") {
  Rng rng(162);
  for (int n = 0; n < 100; ++n) {
    const int rows = 2 + rng.below(8);
    const Hyper alpha = Hyper::fixed(0.3 + 3 * rng.uniform());
    const Phylogenetic prior = phylogenetic(star(rows), alpha, Rates::integrated);
    const Exchangeable exchangeable(rows, {alpha});
    const Features z = random_features(rows, 1 + rng.below(6), rng);
    check_close(prior.log_prob(z), exchangeable.log_prob(z), 1e-10);
    check_close(prior.log_prob_lof(z), exchangeable.log_prob_lof(z), 1e-10);
    for (int k = 0; k < z.size(); ++k) {
      check_close(prior.log_copies(z.column(k)), exchangeable.log_copies(z.column(k)), 1e-10);
      for (int i = 0; i < rows; ++i)
        if (!z.is_own(i, k))
          check_close(prior.log_odds(z, i, k), exchangeable.log_odds(z, i, k), 1e-10);
    }
    for (int i = 0; i < rows; ++i)
      check_close(prior.log_own_ratio(i, 2, 1), exchangeable.log_own_ratio(i, 2, 1), 1e-10);
    check_close(prior.marginal().log_prob(z), exchangeable.log_prob(z), 1e-10);
  }
}

TEST_CASE("on a star with pi in the state, the odds of a bit are the odds of pi") {
  Rng rng(163);
  const Features z = random_features(6, 3, rng);
  Phylogenetic prior = phylogenetic(star(6), Hyper::fixed(1), Rates::sampled);
  const std::vector<double> log_rates{-20, -0.4, 2.3};
  set_state(prior, z, 1, log_rates);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 6; ++i)
      if (!z.is_own(i, k)) {
        const double pi = pi_of(log_rates[k]);
        check_close(prior.log_odds(z, i, k), std::log(pi) - std::log1p(-pi));
      }
}

TEST_CASE("probabilities are in the state if a tree has more rows than tables allow") {
  for (int rows : {11, 12, 13})
    CHECK(phylogenetic(star(rows), Hyper::fixed(1), Rates::automatic).counts_copies() ==
          (rows <= TreeTables::most_rows));
  CHECK_FALSE(phylogenetic(star(3), Hyper::fixed(1), Rates::sampled).counts_copies());
}

// eq. 8: the density of pi is proportional to (1 - q^t) q^(T - t) / pi.
TEST_CASE("probabilities of a row's singletons have the density of eq. 8, others are unchanged") {
  const RawTree raw = uneven_tree(4);
  for (int i : {0, 2, 3}) {
    Features z(4);
    z.add(bits_of(4, 0b0111));
    z.add_own(i);
    z.add_own(i == 3 ? 0 : 3);
    z.add_own(i);
    Phylogenetic prior = phylogenetic(raw, Hyper::fixed(1), Rates::sampled);
    set_state(prior, z, 1, {-0.7, 0.1, -1.3, 0.4});
    const double t = raw.lengths[i], rest = raw.total() - t;
    Moments moments = moments_of_pi([&](long double gamma) {
      return std::expm1(-gamma * t) * std::exp(-gamma * rest) / std::expm1(-gamma);
    });
    Rng rng(164);
    for (int n = 0; n < scaled(20000); ++n) {
      prior.left(z, i, rng);
      const auto log_rates = log_rates_of(prior, z);
      CHECK_FALSE((log_rates[0] != -0.7 || log_rates[2] != -1.3 || log_rates[1] == log_rates[3]));
      for (int k : {1, 3}) moments.add(pi_of(log_rates[k]));
    }
    CHECK(moments.largest_z() < 4.5);
  }
}

TEST_CASE("proposed probabilities of a column have the beta law with the returned density") {
  Rng rng(165);
  for (int m : {1, 3, 5}) {
    Features z(5);
    z.add(bits_of(5, 0b00011));
    z.add(bits_of(5, (1 << m) - 1));
    Phylogenetic prior = phylogenetic(uneven_tree(5), Hyper::fixed(1), Rates::sampled);
    set_state(prior, z, 1, {0.3, 0.2});
    const double on = m, off = 6 - m, mean = on / 6, variance = on * off / (36 * 7.0);
    Moments moments(mean, variance);
    for (int n = 0; n < scaled(20000); ++n) {
      const double log_density = prior.propose(z, 1, rng), pi = pi_of(log_rates_of(prior, z)[1]);
      moments.add(pi);
      const double expected =
          (on - 1) * std::log(pi) + (off - 1) * std::log1p(-pi) - log_beta_integral(on, off);
      if (n > 100) continue;
      check_close(log_density, expected);
      CHECK(prior.log_proposed(z, 1) == log_density);
      CHECK(log_rates_of(prior, z)[0] == 0.3);
    }
    CHECK(moments.largest_z() < 4.5);
  }
}

TEST_CASE("proposals for columns have density one if pi is integrated out") {
  Rng rng(166);
  Features z(3);
  z.add(bits_of(3, 0b011));
  Phylogenetic prior = phylogenetic(uneven_tree(3), Hyper::fixed(1), Rates::integrated);
  CHECK(prior.propose(z, 0, rng) == 0);
  CHECK(prior.log_proposed(z, 0) == 0);
}
