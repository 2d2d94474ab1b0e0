#include <testthat/vendor/catch.h>

#include "prior/tree_integral.h"
#include "tree_case.h"

using namespace test;
using buffet::log_integral;

TEST_CASE("integrals over probabilities of features equal integrals over rates in pieces") {
  Rng rng(151);
  for (int n = 0; n < 25; ++n) {
    const RawTree raw = random_tree(rng, 3, 5);
    const Tree tree = raw.tree();
    for (int h = 1; h < (1 << raw.rows); ++h) {
      const Bits column = bits_of(raw.rows, h);
      const long double expected = integral_over_rates(raw, column);
      if (expected == 0)
        CHECK(log_integral(tree, column) == -std::numeric_limits<double>::infinity());
      else
        CHECK(std::abs(log_integral(tree, column) - std::log(expected)) < 1e-9L);
    }
  }
}

TEST_CASE("on a star, the integral is a beta function, for up to a thousand rows") {
  for (int rows : {1, 2, 3, 10, 100, 1000}) {
    const Tree tree = star(rows).tree();
    for (int m : {1, 2, rows / 10, rows / 2, rows - 1, rows}) {
      if (m < 1 || m > rows) continue;
      Bits column(rows);
      for (int i = 0; i < m; ++i) column.set(i);
      CHECK(log_integral(tree, column) ==
            Approx(std::lgamma(m) + std::lgamma(rows - m + 1) - std::lgamma(rows + 1))
                .epsilon(1e-10)
                .margin(1e-10));
    }
  }
}

// E[K+] / alpha is the harmonic number for a star, and psi(T + 1) - psi(1) for any tree.
TEST_CASE("integrals of all columns sum to the expected number of features") {
  Rng rng(152);
  for (int n = 0; n < 20; ++n) {
    const RawTree raw = random_tree(rng);
    double sum = 0;
    for (int h = 1; h < (1 << raw.rows); ++h)
      sum += std::exp(log_integral(raw.tree(), bits_of(raw.rows, h)));
    const auto f = [&](long double gamma) {
      return std::expm1(-gamma * raw.total()) / std::expm1(-gamma) * std::exp(-gamma);
    };
    CHECK(sum == Approx(double(integral(f, 0, 60, 40))).epsilon(1e-9));
  }
}

TEST_CASE("integrals are exact even if edges are very short or very long") {
  for (double t : {1e-9, 1e-4, 30.0}) {
    const RawTree raw{3, {3, 3, 4, 4, -1}, {t, t, 1, 1, 0}};
    for (int h = 1; h < 8; ++h) {
      const Bits column = bits_of(3, h);
      CHECK(log_integral(raw.tree(), column) ==
            Approx(double(std::log(integral_over_rates(raw, column)))).epsilon(1e-9).margin(1e-9));
    }
  }
}
