#include <testthat/vendor/catch.h>

#include "draws.h"
#include "prior/tree_column.h"
#include "trees.h"

using namespace test;
using buffet::TreeColumn;
using buffet::TreeHistory;

namespace {

/// A rate from 1e-12 to 60, uniform on the log scale and sometimes equal to one of the ends.
double random_gamma(Rng& rng) {
  const double u = rng.bernoulli(0.2) ? rng.below(2) : rng.uniform();
  return std::exp(std::log(1e-12) + u * std::log(60 / 1e-12));
}

/// Compares relative to the probability, not to its logarithm.
void check_log(double value, long double expected) {
  if (expected == 0)
    CHECK(value == -std::numeric_limits<double>::infinity());
  else
    CHECK(std::abs(value - std::log(expected)) < 1e-10L);
}

/// Log odds of row i from sums over all states, and whether the other bits are possible.
struct Odds {
  long double on, off;
  Odds(const RawTree& raw, Bits column, int i, double gamma) {
    Bits other = column;
    other.flip(i);
    on = brute_force(raw, column.at(i) ? column : other, gamma);
    off = brute_force(raw, column.at(i) ? other : column, gamma);
  }
  bool possible() const { return on > 0 || off > 0; }
  void check(double log_odds) const {
    if (off == 0)
      CHECK(log_odds == std::numeric_limits<double>::infinity());
    else
      check_log(log_odds, on / off);
  }
};

void check_all_odds(const RawTree& raw, const Tree& tree, const Bits& column, double gamma,
                    const TreeColumn& of_column) {
  for (int i = 0; i < raw.rows; ++i) {
    if (column.count() - column.at(i) == 0) continue;
    const Odds odds(raw, column, i, gamma);
    if (odds.possible()) odds.check(of_column.log_odds(tree, i));
  }
}

}  // namespace

TEST_CASE("probabilities of columns equal the sum over the states of all nodes") {
  Rng rng(142);
  for (int n = 0; n < 200; ++n) {
    const RawTree raw = random_tree(rng);
    const Tree tree = raw.tree();
    const double gamma = random_gamma(rng);
    for (int h = 0; h < (1 << raw.rows); ++h) {
      const Bits column = bits_of(raw.rows, h);
      check_log(TreeHistory(tree, column).log_prob(gamma), brute_force(raw, column, gamma));
    }
  }
}

TEST_CASE("probabilities of all columns of a tree sum to one") {
  Rng rng(143);
  for (int n = 0; n < 50; ++n) {
    const Tree tree = random_tree(rng).tree();
    const double gamma = random_gamma(rng);
    double sum = 0;
    for (int h = 0; h < (1 << tree.rows()); ++h)
      sum += std::exp(TreeHistory(tree, bits_of(tree.rows(), h)).log_prob(gamma));
    CHECK(sum == Approx(1).epsilon(1e-12));
  }
}

TEST_CASE("one history gives probabilities for successive rates") {
  Rng rng(144);
  const RawTree raw = random_tree(rng, 6, 6);
  const Tree tree = raw.tree();
  const TreeHistory history(tree, bits_of(6, 0b101110));
  for (int n = 0; n < 20; ++n) {
    const double gamma = random_gamma(rng);
    CHECK(history.log_prob(gamma) == TreeHistory(tree, bits_of(6, 0b101110)).log_prob(gamma));
  }
}

// The density of pi is P(column | pi) / pi; the density of y = log(gamma) has the additional factor
// dpi / dy.
TEST_CASE("log densities of the log rate have the derivative of the probability") {
  Rng rng(145);
  for (int n = 0; n < 50; ++n) {
    const RawTree raw = random_tree(rng);
    const Bits column = bits_of(raw.rows, 1 + rng.below((1 << raw.rows) - 1));
    const long double gamma = random_gamma(rng), pi = -std::expm1(-gamma);
    const long double probability = brute_force(raw, column, gamma);
    if (probability > 0)
      check_log(TreeHistory(raw.tree(), column).log_density(std::log(static_cast<double>(gamma))),
                probability / pi * gamma * std::exp(-gamma));
  }
}

TEST_CASE("odds of every bit equal sums over the states of all nodes") {
  Rng rng(146);
  for (int n = 0; n < 200; ++n) {
    const RawTree raw = random_tree(rng);
    const Tree tree = raw.tree();
    const double gamma = random_gamma(rng);
    for (int h = 1; h < (1 << raw.rows); ++h) {
      const Bits column = bits_of(raw.rows, h);
      TreeColumn of_column;
      of_column.set(tree, column);
      of_column.set_rate(tree, std::log(gamma));
      check_all_odds(raw, tree, column, std::exp(std::log(gamma)), of_column);
    }
  }
}

TEST_CASE("odds are up to date after flips and new rates") {
  Rng rng(147);
  for (int n = 0; n < 200; ++n) {
    const RawTree raw = random_tree(rng);
    const Tree tree = raw.tree();
    Bits column = bits_of(raw.rows, 1 + rng.below((1 << raw.rows) - 1));
    TreeColumn of_column;
    of_column.set(tree, column);
    for (int step = 0; step < 12; ++step) {
      const double log_gamma = std::log(random_gamma(rng));
      if (step % 4 == 0) of_column.set_rate(tree, log_gamma);
      const int i = rng.below(raw.rows);
      column.flip(i);
      of_column.flip(tree, i);
      check_all_odds(raw, tree, column, std::exp(of_column.log_rate()), of_column);
    }
  }
}

TEST_CASE("odds are differences of log probabilities on a tree with a thousand rows") {
  Rng rng(148);
  const RawTree raw = random_tree(rng, 1000, 1000);
  const Tree tree = raw.tree();
  for (double gamma : {1e-9, 0.02, 0.7, 30.0}) {
    Bits column(1000);
    for (int i = 0; i < 1000; ++i)
      if (rng.bernoulli(0.7)) column.set(i);
    TreeColumn of_column;
    of_column.set(tree, column);
    of_column.set_rate(tree, std::log(gamma));
    for (int n = 0; n < 200; ++n) {
      const int i = rng.below(1000);
      Bits other = column;
      other.flip(i);
      const double before = TreeHistory(tree, column).log_prob(std::exp(std::log(gamma)));
      const double after = TreeHistory(tree, other).log_prob(std::exp(std::log(gamma)));
      if (!std::isfinite(before) || !std::isfinite(after)) continue;
      const double difference = column.at(i) ? before - after : after - before;
      CHECK(of_column.log_odds(tree, i) ==
            Approx(difference).epsilon(1e-10).margin(1e-12 * std::abs(before)));
    }
  }
}

// Nodes 0, 1 and 2 are at distance zero from their parent, so all of them have the same bit.
TEST_CASE("bits of rows at distance zero are certain") {
  const RawTree raw{3, {3, 3, 4, 4, -1}, {0, 0, 1, 1, 0}};
  const Tree tree = raw.tree();
  TreeColumn of_column;
  of_column.set(tree, bits_of(3, 0b010));
  of_column.set_rate(tree, std::log(0.3));
  CHECK(of_column.log_odds(tree, 2) == Approx(std::log(std::expm1(0.3))));
  of_column.set(tree, bits_of(3, 0b100));
  CHECK(of_column.log_odds(tree, 0) == -std::numeric_limits<double>::infinity());
}
