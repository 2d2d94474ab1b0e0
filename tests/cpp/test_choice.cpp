#include <testthat/vendor/catch.h>

#include "choice_case.h"
#include "likelihood/choice_sums.h"

using namespace test;

namespace {

const WeightPrior prior(1.7, 0.6);

template <class Check>
void for_random_states(Check check) {
  Rng rng(191);
  for (int n = 0; n < 200; ++n) {
    const ChoiceState s = ChoiceState::random(rng);
    const auto data = as_choices(s.wins);
    check(s, data, rng);
  }
}

void check_close(double value, double expected, double tolerance = 1e-10) {
  CHECK(value == Approx(expected).epsilon(tolerance).margin(tolerance));
}

/// Compares sums with recomputed ones.
void check_sums(const ChoiceSums& sums, const buffet::ChoiceData& data, const ChoiceState& s) {
  ChoiceSums fresh(data, {s.epsilon});
  fresh.set(s.z, s.w);
  const SumsState now = SumsState::of(sums), expected = SumsState::of(fresh);
  CHECK(now.counts == expected.counts);
  for (std::size_t n = 0; n < now.a.size(); ++n) {
    if (expected.counts[n] == 0) CHECK(now.a[n] == 0);
    check_close(now.a[n], expected.a[n]);
    check_close(now.terms[n], expected.terms[n]);
  }
  check_close(sums.log_lik(), fresh.log_lik());
}

/// Draws an item and a feature to flip, which other items also have.
bool draw_bit(const ChoiceState& s, Rng& rng, int& i, int& k) {
  i = rng.below(s.z.rows());
  k = rng.below(s.free);
  return !s.z.is_own(i, k);
}

/// Log likelihood with z_ik = 1 minus that with z_ik = 0.
double naive_ratio(ChoiceState s, int i, int k) {
  const double by = s.z.at(i, k) ? -1 : 1, before = s.log_lik();
  s.z.flip(i, k);
  return by * (s.log_lik() - before);
}

}  // namespace

TEST_CASE("log likelihoods of choices equal the formula, with pairs omitted and equal items") {
  int equal = 0;
  for_random_states([&](const ChoiceState& s, const buffet::ChoiceData& data, Rng&) {
    Choice likelihood(data, {s.epsilon}, prior);
    set_weights(likelihood, s.z, s.w, s.epsilon);
    check_close(likelihood.log_lik(s.z), s.log_lik());
    const Eigen::MatrixXd z = dense(s.z);
    for (int i = 1; i < z.rows(); ++i) equal += z.row(i) == z.row(0);
  });
  CHECK(equal > 20);
}

TEST_CASE("probabilities of choices agree with elimination by aspects with lapses") {
  const buffet::EliminationByAspects rule{0.2};
  CHECK(rule.probability(3, 1) == Approx(0.8 * 0.75 + 0.1));
  CHECK(rule.probability(0, 1) == Approx(0.1));
  CHECK(rule.probability(0, 0) == 0.5);
  for (double a : {0.0, 0.4, 7.0})
    for (double b : {0.0, 1.3}) {
      const double p = rule.probability(a, b);
      check_close(rule.log_lik(a, b, {3, 2}), 3 * std::log(p) + 2 * std::log1p(-p));
      check_close(rule.log_lik(b, a, {2, 3}), 3 * std::log(p) + 2 * std::log1p(-p));
    }
  const buffet::EliminationByAspects strict{0};
  CHECK(strict.log_lik(0, 2, {0, 3}) == 0);
  CHECK(strict.log_lik(0, 2, {1, 3}) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("ratios of choices equal differences of log likelihoods, including after flips") {
  for_random_states([](ChoiceState s, const buffet::ChoiceData& data, Rng& rng) {
    Choice likelihood(data, {s.epsilon}, prior);
    set_weights(likelihood, s.z, s.w, s.epsilon);
    for (int step = 0; step < 15; ++step) {
      int i, k;
      if (!draw_bit(s, rng, i, k)) continue;
      likelihood.enter(s.z, i);
      const double ratio = likelihood.log_ratio(k), before = s.log_lik();
      s.z.flip(i, k);
      check_close(ratio, (s.z.at(i, k) ? 1 : -1) * (s.log_lik() - before));
      if (rng.bernoulli(0.3))
        s.z.flip(i, k);
      else
        likelihood.flip(k);
      check_close(likelihood.log_lik(s.z), s.log_lik());
    }
  });
}

TEST_CASE("sums follow flips, weights, scales and singletons") {
  for_random_states([](ChoiceState s, const buffet::ChoiceData& data, Rng& rng) {
    ChoiceSums sums(data, {s.epsilon});
    sums.set(s.z, s.w);
    for (int step = 0; step < 30; ++step) {
      const int kind = rng.below(4), k = rng.below(s.z.size());
      int i, l;
      if (kind == 0 && draw_bit(s, rng, i, l)) {
        const Change change{s.z.at(i, l) ? -s.w[l] : s.w[l], s.z.at(i, l) ? -1 : 1};
        const double ratio = sums.log_ratio_flip(s.z.column(l), i, change), before = s.log_lik();
        s.z.flip(i, l);
        sums.flip(s.z.column(l), i, change);
        check_close(ratio, s.log_lik() - before);
      } else if (kind == 1) {
        const double by = s.w[k] * (rng.gamma(2, 2) - 1), before = s.log_lik();
        const double ratio = sums.log_ratio_weight(s.z.column(k), by);
        if (rng.bernoulli(0.3)) continue;
        sums.change_weight(s.z.column(k), by);
        s.w[k] += by;
        check_close(ratio, s.log_lik() - before);
      } else if (kind == 2) {
        const double factor = rng.gamma(2, 2), before = s.log_lik();
        for (double& w : s.w) w *= factor;
        sums.scale(factor);
        check_close(s.log_lik(), before);
      } else if (kind == 3) {
        const int owner = rng.below(s.z.rows());
        const double weight = rng.gamma(1.7, 0.6);
        sums.add_own(owner, {weight, 1});
        sums.set_terms(owner);
        s.z.add_own(owner);
        s.w.push_back(weight);
      }
      check_sums(sums, data, s);
    }
  });
}

// Singletons with total weight S have the density of a Gamma variable whose shape is the sum of
// their shapes.
TEST_CASE("exchanging singleton weight for a shared feature changes the density as predicted") {
  for_random_states([](ChoiceState s, const buffet::ChoiceData& data, Rng& rng) {
    Choice likelihood(data, {s.epsilon}, prior);
    set_weights(likelihood, s.z, s.w, s.epsilon);
    for (int step = 0; step < 15; ++step) {
      int i, k;
      if (!draw_bit(s, rng, i, k)) continue;
      likelihood.enter(s.z, i);
      if (!likelihood.has_own()) continue;
      const auto log_density = [&] {
        double own = 0, count = 0;
        for (int l = 0; l < s.z.size(); ++l)
          if (s.z.at(i, l) && s.z.is_own(i, l)) own += s.w[l], ++count;
        return s.log_lik() + (1.7 * count - 1) * std::log(own) - 0.6 * own;
      };
      const double ratio = likelihood.log_ratio_exchange(k), before = log_density();
      if (std::isinf(ratio)) continue;
      s.z.flip(i, k);
      likelihood.exchange(k);
      s.w = likelihood.loadings();
      check_close(ratio, log_density() - before, 1e-8);
      check_close(likelihood.log_ratio_exchange(k), -ratio, 1e-8);
      check_close(likelihood.log_ratio(k), naive_ratio(s, i, k), 1e-8);
    }
  });
}

TEST_CASE("added singleton weight changes the log likelihood of the item's pairs as predicted") {
  for_random_states([](ChoiceState s, const buffet::ChoiceData& data, Rng& rng) {
    ChoiceSums sums(data, {s.epsilon});
    sums.set(s.z, s.w);
    const int i = rng.below(s.z.rows());
    const double weight = rng.gamma(1.7, 0.6), before = s.log_lik();
    const double ratio = sums.log_lik_with(i, weight) - sums.log_lik_with(i, 0);
    s.z.add_own(i);
    s.w.push_back(weight);
    check_close(ratio, s.log_lik() - before);
  });
}

TEST_CASE("sums with no remaining terms are exactly zero") {
  Eigen::MatrixXd wins(2, 2);
  wins << 0, 3, 1, 0;
  const auto data = as_choices(wins);
  Features z(2);
  for (int k = 0; k < 3; ++k) z.add(bits_of(2, 1));
  const std::vector<double> w{0.1, 1e17, 0.3};
  ChoiceSums sums(data, {0});
  sums.set(z, w);
  for (int k : {1, 0, 2}) {
    z.flip(0, k);
    sums.flip(z.column(k), 0, {-w[k], -1});
  }
  CHECK(sums.log_lik() == Approx(4 * std::log(0.5)));
}

TEST_CASE("ratios of choices are right for more items than a word has bits") {
  Rng rng(193);
  for (int n = 0; n < 5; ++n) {
    ChoiceState s = ChoiceState::random(rng, 65, 140);
    s.epsilon = 0.1;
    const auto data = as_choices(s.wins);
    Choice likelihood(data, {s.epsilon}, prior);
    set_weights(likelihood, s.z, s.w, s.epsilon);
    for (int step = 0; step < 20; ++step) {
      int i, k;
      if (!draw_bit(s, rng, i, k)) continue;
      likelihood.enter(s.z, i);
      const double ratio = likelihood.log_ratio(k), before = s.log_lik();
      s.z.flip(i, k);
      likelihood.flip(k);
      CHECK(ratio == Approx((s.z.at(i, k) ? 1 : -1) * (s.log_lik() - before)).margin(1e-7));
    }
  }
}

TEST_CASE("densities of log weights and their slopes agree with prior and likelihood") {
  for_random_states([](const ChoiceState& s, const buffet::ChoiceData& data, Rng&) {
    buffet::WeightDensity density(data, {s.epsilon}, prior);
    density.set(s.z, data);
    std::vector<double> at, slopes(s.w.size());
    for (double w : s.w) at.push_back(std::log(w));
    const auto expected = [&](const std::vector<double>& log_weights) {
      std::vector<double> w;
      double sum = 0;
      for (double y : log_weights) {
        w.push_back(std::exp(y));
        sum += prior.log_density(w.back()) + y;
      }
      return sum + log_lik(dense(s.z), w, s.wins, s.epsilon);
    };
    auto doubled = at;
    for (double& y : doubled) y += 0.3 * std::sin(5 * y);
    check_close(density.log_density(doubled) - density.log_density(at),
                expected(doubled) - expected(at), 1e-9);
    density.slopes(at, slopes);
    for (std::size_t k = 0; k < at.size(); ++k) {
      auto above = at, below = at;
      above[k] += 1e-4;
      below[k] -= 1e-4;
      CHECK(slopes[k] == Approx((expected(above) - expected(below)) / 2e-4).margin(1e-5));
    }
  });
}
