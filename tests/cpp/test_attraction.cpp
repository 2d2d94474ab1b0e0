#include <testthat/vendor/catch.h>

#include <map>

#include "attraction_case.h"
#include "scale.h"
#include "statistics.h"

using namespace test;

namespace {

/// A random prior and features, whose columns the prior tracks.
struct State {
  RawAttraction raw;
  double alpha;
  Features z;
  Attraction prior;

  static State random(Rng& rng, int most = 40) {
    RawAttraction raw = random_attraction(2 + rng.below(most - 1), rng, 3 * rng.uniform());
    const double alpha = 0.3 + 3 * rng.uniform();
    const Features z = random_features(raw.rows(), 1 + rng.below(6), rng);
    State s{raw, alpha, z, attraction(raw, Hyper::fixed(alpha))};
    s.prior.follow(s.z);
    return s;
  }
};

template <class Check>
void for_random_states(Check check) {
  Rng rng(461);
  for (int n = 0; n < 200; ++n) check(State::random(rng), rng);
}

void check_close(double value, double expected, double tolerance = 1e-9) {
  CHECK(value == Approx(expected).epsilon(tolerance).margin(tolerance));
}

double harmonic(int rows) {
  double sum = 0;
  for (int n = 1; n <= rows; ++n) sum += 1.0 / n;
  return sum;
}

}  // namespace

TEST_CASE("log probabilities under attraction equal the formula of the process") {
  for_random_states([](const State& s, Rng&) {
    double expected = s.z.size() * std::log(s.alpha) - std::lgamma(s.z.size() + 1.0) -
                      s.alpha * harmonic(s.raw.rows());
    for (int k = 0; k < s.z.size(); ++k) expected += std::log(s.raw.rate(s.z.column(k)));
    check_close(s.prior.log_prob(s.z), expected);
    check_close(s.prior.log_prob_lof(s.z),
                expected + std::lgamma(s.z.size() + 1.0) - s.z.log_repeats(buffet::log_factorial));
  });
}

TEST_CASE("odds under attraction equal differences of log probabilities, before and after flips") {
  for_random_states([](State s, Rng& rng) {
    for (int step = 0; step < 20; ++step) {
      const int i = rng.below(s.raw.rows()), k = rng.below(s.z.size());
      if (s.z.is_own(i, k)) continue;
      Features other = s.z;
      other.flip(i, k);
      const double on = s.raw.rate((s.z.at(i, k) ? s.z : other).column(k));
      const double off = s.raw.rate((s.z.at(i, k) ? other : s.z).column(k));
      check_close(s.prior.log_odds(s.z, i, k), std::log(on) - std::log(off));
      s.z = other;
      s.prior.flipped(s.z, i, k);
      check_close(s.prior.log_odds(s.z, i, k), std::log(on) - std::log(off));
      check_follows(s.z, s.prior);
    }
  });
}

TEST_CASE("numbers of a row's singletons and of copies are Poisson with the rate of the column") {
  for_random_states([](const State& s, Rng& rng) {
    const int i = rng.below(s.raw.rows()), rows = s.raw.rows();
    Bits own(rows), all = complement(Bits(rows), rows);
    own.set(i);
    const Bits& column = s.z.column(0);
    for (int j = 0; j < 3; ++j) {
      const double number = s.prior.log_number_ratio(s.z.size(), j);
      check_close(number, -std::log(j + 1.0));
      check_close(s.prior.log_own_ratio(i, s.z.size(), j),
                  std::log(s.alpha * s.raw.rate(own)) + number);
    }
    check_close(s.prior.log_copies(column), std::log(s.alpha * s.raw.rate(column)));
    check_close(s.prior.log_held_by_all(), std::log(s.alpha * s.raw.rate(all)));
  });
}

TEST_CASE("a replaced column changes the log probability, and new columns are stored") {
  for_random_states([](State s, Rng& rng) {
    const int k = rng.below(s.z.size());
    const Features others = random_features(s.raw.rows(), 2, rng);
    const double ratio = s.prior.log_ratio_replaced(s.z, k, others.column(0));
    check_close(ratio, std::log(s.raw.rate(others.column(0)) / s.raw.rate(s.z.column(k))));
    s.z.replace(k, others.column(0));
    s.prior.replaced(s.z, k);
    s.z.add(others.column(1));
    s.prior.born(s.z, s.z.size() - 1);
    s.z.add(others.column(0));
    CHECK(s.prior.propose(s.z, s.z.size() - 1, rng) == 0);
    s.z.add(complement(Bits(s.raw.rows()), s.raw.rows()));
    s.prior.added_to_all(s.z, s.z.size() - 1, rng);
    s.z.add_own(1);
    s.prior.left(s.z, 1, rng);
    check_follows(s.z, s.prior);
  });
}

TEST_CASE("at temperature 0 attraction has the probabilities of the exchangeable prior") {
  Rng rng(462);
  for (int n = 0; n < 100; ++n) {
    const int rows = 1 + rng.below(40);
    const Hyper alpha = Hyper::fixed(0.3 + 3 * rng.uniform());
    Attraction prior = attraction(random_attraction(rows, rng, 0), alpha);
    const Exchangeable exchangeable(rows, {alpha});
    const Features z = random_features(rows, 1 + rng.below(6), rng);
    prior.follow(z);
    check_close(prior.log_prob(z), exchangeable.log_prob(z), 1e-10);
    check_close(prior.log_columns() + std::log(prior.alpha()), exchangeable.log_columns(), 1e-10);
    for (int k = 0; k < z.size(); ++k)
      for (int i = 0; i < rows; ++i)
        if (!z.is_own(i, k))
          check_close(prior.log_odds(z, i, k), exchangeable.log_odds(z, i, k), 1e-10);
    for (int i = 0; i < rows; ++i)
      check_close(prior.log_own_ratio(i, 2, 1), exchangeable.log_own_ratio(i, 2, 1), 1e-10);
    check_close(prior.marginal().log_prob(z), exchangeable.log_prob(z), 1e-10);
  }
}

TEST_CASE("columns are drawn under attraction in proportion to their probabilities") {
  Rng rng(463);
  for (int rows : {1, 2, 5}) {
    const RawAttraction raw = random_attraction(rows, rng, 1.3);
    const Attraction prior = attraction(raw, Hyper::fixed(2));
    const auto rates = raw.rates();
    double total = 0;
    for (double rate : rates) total += rate;
    check_close(prior.log_columns(), std::log(total));
    const int draws = scaled(60000);
    std::vector<double> seen(rates.size(), 0), expected(rates);
    for (double& e : expected) e *= draws / total;
    for (int n = 0; n < draws; ++n) ++seen[prior.draw_column(rng).words()[0]];
    CHECK(seen[0] == 0);
    CHECK(chi_squared_p(seen, expected, 10) > 1e-5);
  }
}

// Includes shares of similarity below the smallest double, and differences of sums of very
// different sizes.
TEST_CASE("odds are finite and exact at high temperatures after any flips") {
  Rng rng(464);
  for (double temperature : {30.0, 1e3, 1e200}) {
    const RawAttraction raw = random_attraction(30, rng, temperature);
    Features z = random_features(30, 3, rng);
    Attraction prior = attraction(raw, Hyper::fixed(1));
    prior.follow(z);
    for (int n = 0; n < 2000; ++n) {
      const int i = rng.below(30), k = rng.below(3);
      if (z.is_own(i, k)) continue;
      CHECK(std::isfinite(prior.log_odds(z, i, k)));
      z.flip(i, k);
      prior.flipped(z, i, k);
    }
    check_follows(z, prior);
    CHECK(std::isfinite(prior.log_prob(z)));
  }
}

TEST_CASE("odds are finite if many rows differ from the row that attracts them") {
  // Rows i and i + half are neighbours; the second half and row 0 have the feature.
  const int half = 30;
  RawAttraction raw{Eigen::MatrixXd(2 * half, 2 * half), std::vector<int>(2 * half), 1e3};
  Features z(2 * half);
  z.add_own(0);
  for (int i = 0; i < 2 * half; ++i) {
    raw.order[i] = i;
    for (int j = 0; j < 2 * half; ++j) raw.distance(i, j) = 1 + std::abs(i % half - j % half);
    if (i >= half) z.flip(i, 0);
  }
  Attraction prior = attraction(raw, Hyper::fixed(1));
  prior.follow(z);
  for (int i = 0; i < 2 * half; ++i) CHECK(std::isfinite(prior.log_odds(z, i, 0)));
  CHECK(std::isfinite(prior.log_prob(z)));
}

namespace {

/// Hyperparameters after this many updates, with the values stored for columns.
template <class Add>
void update(Attraction prior, const Features& z, int updates, Add add) {
  Rng rng(465);
  prior.follow(z);
  for (int n = 0; n < updates; ++n) {
    prior.update(z, rng);
    if (n % 100 == 0) check_follows(z, prior);
    add(prior);
  }
}

}  // namespace

TEST_CASE("orders are drawn given features") {
  Rng rng(466);
  const RawAttraction raw = random_attraction(4, rng, 1.5);
  Features z(4);
  for (int h : {0b0011, 0b0110, 0b1000, 0b1100}) z.add(bits_of(4, h));
  std::map<std::vector<int>, double> expected, seen;
  std::vector<int> order{0, 1, 2, 3};
  double total = 0;
  do {
    RawAttraction other = raw;
    other.order = order;
    double p = 1;
    for (int k = 0; k < z.size(); ++k) p *= other.rate(z.column(k));
    total += expected[order] = p;
  } while (std::next_permutation(order.begin(), order.end()));
  const int updates = scaled(shorter(200000));
  std::map<std::vector<int>, BatchMean> means;
  for (const auto& [of, p] : expected) means.emplace(of, BatchMean(updates, 200));
  update(attraction(raw, Hyper::fixed(1), {Hyper::fixed(1), true}), z, updates,
         [&](const Attraction& prior) {
           for (auto& [of, mean] : means) mean.add(prior.order() == of);
         });
  for (auto& [of, mean] : means) CHECK(std::abs(mean.z(expected[of] / total)) < 4.5);
}

TEST_CASE("temperatures and alpha are drawn given features") {
  Rng rng(467);
  const RawAttraction raw = random_attraction(6, rng);
  Features z(6);
  for (int h : {0b000011, 0b110110, 0b001100}) z.add(bits_of(6, h));
  const Hyper temperature = Hyper::gamma(2, 0.7), alpha = Hyper::gamma(1.7, 2.1);
  double total = 0, mean = 0, square = 0;
  for (double t = 0.005; t < 40; t += 0.01) {
    RawAttraction other = raw;
    other.temperature = t;
    double p = t * std::exp(-0.7 * t);
    for (int k = 0; k < z.size(); ++k) p *= other.rate(z.column(k));
    total += p;
    mean += t * p;
    square += t * t * p;
  }
  const int updates = scaled(shorter(200000));
  BatchMean first(updates, 200), second(updates, 200), alphas(updates, 200);
  update(attraction(raw, alpha, {temperature}), z, updates, [&](const Attraction& prior) {
    first.add(prior.temperature());
    second.add(prior.temperature() * prior.temperature());
    alphas.add(prior.alpha());
  });
  CHECK(std::abs(first.z(mean / total)) < 4.5);
  CHECK(std::abs(second.z(square / total)) < 4.5);
  CHECK(std::abs(alphas.z((1.7 + 3) / (2.1 + harmonic(6)))) < 4.5);
}

TEST_CASE("an attraction prior restarts from its initial state, with alpha from a search") {
  Rng rng(469);
  const RawAttraction raw = random_attraction(20, rng);
  const Features z = random_features(20, 4, rng);
  Attraction prior = attraction(raw, Hyper::gamma(1, 1), {Hyper::gamma(2, 1), true});
  prior.follow(z);
  for (int n = 0; n < 5; ++n) prior.update(z, rng);
  CHECK(prior.order() != raw.order);
  Exchangeable marginal = prior.marginal();
  marginal.set({2.5, 1});
  prior.adopt(marginal);
  CHECK(prior.alpha() == 2.5);
  CHECK(prior.temperature() == 1);
  CHECK(prior.order() == raw.order);
}

TEST_CASE("an attraction prior is read as it was written, and invalid orders are rejected") {
  Rng rng(468);
  const RawAttraction raw = random_attraction(20, rng);
  const Features z = random_features(20, 4, rng);
  const Learned learned{Hyper::gamma(2, 1), true};
  Attraction prior = attraction(raw, Hyper::gamma(1, 1), learned);
  prior.follow(z);
  for (int n = 0; n < 5; ++n) prior.update(z, rng);
  const auto bytes = buffet::to_bytes(prior);
  Attraction read = attraction(raw, Hyper::gamma(1, 1), learned);
  buffet::from_bytes(bytes, read);
  read.follow(z);
  CHECK(read.hyperparameters() == prior.hyperparameters());
  CHECK(read.order() == prior.order());
  for (int k = 0; k < z.size(); ++k)
    for (int i = 0; i < 20; ++i)
      if (!z.is_own(i, k)) CHECK(read.log_odds(z, i, k) == prior.log_odds(z, i, k));
  auto damaged = bytes;
  damaged[damaged.size() - sizeof(int)] ^= 1;
  CHECK_THROWS_AS(buffet::from_bytes(damaged, read), std::runtime_error);
}
