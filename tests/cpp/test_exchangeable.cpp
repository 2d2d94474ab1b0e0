#include <testthat/vendor/catch.h>

#include <cmath>
#include <limits>

#include "draws.h"

using namespace test;

namespace {

/// A state with distinct hyperparameters, none of them 1 except those that define the prior.
struct State {
  Parameters parameters;
  Features z;
};

State random_state(const PriorCase& prior, Rng& rng) {
  Parameters p = prior.parameters;
  p.alpha = 0.3 + 3 * rng.uniform();
  if (prior.learns_c) p.c = 0.2 + 4 * rng.uniform();
  if (p.discount > 0) p.discount = 0.05 + 0.9 * rng.uniform();
  if (p.n_features > 0) p.n_features = 8 + rng.below(4);
  return {p, random_features(2 + rng.below(12), 1 + rng.below(8), rng)};
}

Exchangeable prior_of(const State& s) {
  return PriorCase{"", s.parameters, true}.fixed(s.z.rows());
}

template <class Check>
void for_random_states(Check check) {
  Rng rng(51);
  for (const auto& prior : prior_cases()) {
    INFO(prior.name);
    for (int n = 0; n < 200; ++n) check(random_state(prior, rng), rng);
  }
}

void check_close(double value, double expected) {
  CHECK(value == Approx(expected).epsilon(1e-10).margin(1e-10));
}

}  // namespace

TEST_CASE("log probabilities of matrices equal the formula of the process") {
  for_random_states([](const State& s, Rng&) {
    check_close(prior_of(s).log_prob(s.z), log_prob(s.z, s.parameters));
  });
}

TEST_CASE("odds equal the difference of log probabilities") {
  for_random_states([](const State& s, Rng&) {
    const Exchangeable prior = prior_of(s);
    Features z = s.z;
    for (int i = 0; i < z.rows(); ++i)
      for (int k = 0; k < z.size(); ++k) {
        if (z.is_own(i, k)) continue;
        const double odds = prior.log_odds(z, i, k);
        const double before = log_prob(z, s.parameters), by = z.at(i, k) ? -1 : 1;
        z.flip(i, k);
        check_close(odds, by * (log_prob(z, s.parameters) - before));
      }
  });
}

TEST_CASE("a replaced column changes the log probability as predicted") {
  for_random_states([](const State& s, Rng& rng) {
    const Exchangeable prior = prior_of(s);
    Features z = s.z;
    const int k = rng.below(z.size());
    const buffet::Bits column = random_features(z.rows(), 1, rng).column(0);
    const double ratio = prior.log_ratio_replaced(z, k, column);
    z.replace(k, column);
    check_close(ratio, log_prob(z, s.parameters) - log_prob(s.z, s.parameters));
  });
}

// Compares classes that differ in the number of features that only row i has. Their left-ordered
// probabilities involve j! instead of the factorial of the number of columns.
TEST_CASE("laws of singletons equal the differences of log probabilities of classes") {
  for_random_states([](const State& s, Rng& rng) {
    const Exchangeable prior = prior_of(s);
    const int i = rng.below(s.z.rows());
    Features z = s.z;
    for (int k = z.size() - 1; k >= 0; --k)
      if (z.is_own(i, k)) z.drop(k);
    const int shared = z.size();
    const auto log_class = [&](int own) {
      return log_prob(z, s.parameters) + std::lgamma(z.size() + 1.0) - std::lgamma(own + 1.0);
    };
    for (int j = 0; j < 4; ++j) {
      if (s.parameters.n_features > 0 && shared + j >= s.parameters.n_features) {
        CHECK(prior.log_own_ratio(i, shared, j) == -std::numeric_limits<double>::infinity());
        break;
      }
      const double before = log_class(j);
      z.add_own(i);
      check_close(prior.log_own_ratio(i, shared, j), log_class(j + 1) - before);
    }
  });
}

// Compares classes that differ in the number of features that have exactly the same rows as a given
// feature.
TEST_CASE("laws of the number of copies equal the differences of log probabilities of classes") {
  for_random_states([](const State& s, Rng& rng) {
    const Exchangeable prior = prior_of(s);
    Features z = s.z;
    const buffet::Bits rows = z.column(rng.below(z.size()));
    for (int k = z.size() - 1; k >= 0; --k)
      if (z.column(k) == rows) z.drop(k);
    const int others = z.size();
    const auto log_class = [&](int copies) {
      return log_prob(z, s.parameters) + std::lgamma(z.size() + 1.0) - std::lgamma(copies + 1.0);
    };
    for (int j = 0; j < 4; ++j) {
      const double ratio = prior.log_copies(rows) + prior.log_number_ratio(others, j);
      if (s.parameters.n_features > 0 && others + j >= s.parameters.n_features) {
        CHECK(ratio == -std::numeric_limits<double>::infinity());
        break;
      }
      const double before = log_class(j);
      z.add(rows);
      check_close(ratio, log_class(j + 1) - before);
    }
  });
}

TEST_CASE("left-ordered classes have as many orders as their columns permit") {
  for_random_states([](const State& s, Rng&) {
    const double orders = std::lgamma(s.z.size() + 1.0) - s.z.log_repeats(buffet::log_factorial);
    check_close(prior_of(s).log_prob_lof(s.z), log_prob(s.z, s.parameters) + orders);
  });
}

TEST_CASE("probabilities of left-ordered classes of two rows sum to one") {
  for (const auto& prior : prior_cases()) {
    INFO(prior.name);
    const Exchangeable exchangeable = prior.fixed(2);
    const int most = prior.parameters.n_features > 0 ? prior.parameters.n_features : 30;
    double sum = 0;
    for (int first = 0; first <= most; ++first)
      for (int second = 0; first + second <= most; ++second)
        for (int both = 0; first + second + both <= most; ++both) {
          Eigen::MatrixXd z = Eigen::MatrixXd::Zero(2, first + second + both);
          z.row(0).head(first).setOnes();
          z.row(1).segment(first, second).setOnes();
          z.rightCols(both).setOnes();
          sum += std::exp(exchangeable.log_prob_lof(from_dense(z)));
        }
    CHECK(sum == Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("matrices with more columns than the finite prior has are impossible") {
  Rng rng(52);
  const Features z = random_features(5, 5, rng);
  CHECK(prior_cases()[3].fixed(5).log_prob(z) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("the evidence is the integral over alpha") {
  for_random_states([](const State& s, Rng& rng) {
    if (rng.uniform() < 0.9) return;
    Parameters p = s.parameters;
    const Exchangeable prior(s.z.rows(),
                             {Hyper::gamma(2.7, 1.6), Hyper::fixed(p.c), p.discount, p.n_features});
    if (p.n_features > 0) {
      check_close(prior.log_evidence(s.z), prior.log_prob(s.z));
      return;
    }
    p.alpha = 1;
    const double scale = log_prob(s.z, p), step = 1e-2;
    double integral = 0;
    for (double log_alpha = -20; log_alpha < 6; log_alpha += step) {
      p.alpha = std::exp(log_alpha);
      const double log_gamma_density =
          2.7 * std::log(1.6) - std::lgamma(2.7) + 2.7 * log_alpha - 1.6 * p.alpha;
      integral += step * std::exp(log_prob(s.z, p) - scale + log_gamma_density);
    }
    check_close(prior.log_evidence(s.z), scale + std::log(integral));
  });
}
