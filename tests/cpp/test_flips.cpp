#include <testthat/vendor/catch.h>

#include <array>
#include <cmath>
#include <vector>

#include "gaussian/gaussian_nonnegative.h"
#include "gaussian/gaussian_uncollapsed.h"
#include "gaussian_case.h"
#include "gibbs/bit_blocks.h"
#include "prior/exchangeable.h"
#include "statistics.h"

using namespace buffet;
using namespace test;

namespace {

const Scales sigma{0.6, 1.7};

/// A subset of the features, in random order.
std::vector<int> random_bits(int size, Rng& rng) {
  std::vector<int> bits;
  rng.permutation(size, bits);
  bits.resize(std::min<std::size_t>(bits.size(), 1 + rng.below(Flips::most)));
  return bits;
}

Features with_flips(Features z, int i, const std::vector<int>& bits, int flips) {
  for (std::size_t a = 0; a < bits.size(); ++a)
    if (flips >> a & 1) z.flip(i, bits[a]);
  return z;
}

/// Compares every subset of flips of some bits of row i with the naive log densities.
template <class Likelihood, class Naive>
void check_flips(const Likelihood& likelihood, const Features& z, int i, Naive naive, Rng& rng) {
  const std::vector<int> bits = random_bits(z.size(), rng);
  std::array<double, Flips::subsets> found;
  likelihood.log_densities(bits.data(), static_cast<int>(bits.size()), found.data());
  const double before = naive(z);
  for (int flips = 1; flips < 1 << bits.size(); ++flips)
    check_close(found[flips] - found[0], naive(with_flips(z, i, bits, flips)) - before,
                std::abs(before));
}

/// The pairs of features that are coupled.
template <class Likelihood>
std::vector<bool> couplings(const Likelihood& likelihood, int size) {
  std::vector<bool> all;
  for (int k = 0; k < size; ++k)
    for (int l = 0; l < k; ++l) all.push_back(likelihood.coupled(k, l));
  return all;
}

void check_collapsed(int columns, double missing) {
  Rng rng(601, columns);
  for (int n = 0; n < 60; ++n) {
    const int rows = 3 + rng.below(8);
    const Features truth = random_features(rows, 3, rng);
    GaussianCase g(with_missing(draw_data(truth, columns, {0.7, 1.4}, rng), missing, rng), sigma);
    const Features z = random_features(rows, 2 + rng.below(6), rng);
    const int i = rng.below(rows);
    g.likelihood.reset(z);
    g.likelihood.enter(z, i);
    const auto naive = [&](const Features& at) {
      return log_lik(dense(at), g.seen_from(i), sigma);
    };
    check_flips(g.likelihood, z, i, naive, rng);
  }
}

/// Checks two visits, the first of which may append features.
template <class Likelihood>
void check_explicit(double missing) {
  Rng rng(602);
  for (int n = 0; n < 60; ++n) {
    const int rows = 2 + rng.below(7), columns = 1 + rng.below(6);
    const Eigen::MatrixXd x = with_missing(draw_normal(rows, columns, 1.6, rng), missing, rng);
    Features z = random_features(rows, 1 + rng.below(7), rng);
    const GaussianData data(Eigen::MatrixXd(x.transpose()), false);
    Likelihood likelihood(data, fixed_precisions(sigma));
    likelihood.reset(z);
    likelihood.set_loadings(draw_normal(columns, z.size(), 1.1, rng).cwiseAbs());
    for (int visit = 0; visit < 2; ++visit) {
      const int i = rng.below(rows);
      const Eigen::MatrixXd a = likelihood.loadings();
      likelihood.enter(z, i);
      const auto naive = [&](const Features& at) {
        const Eigen::VectorXd gap = x.row(i).transpose() - a * dense(at).row(i).transpose();
        double squares = 0;
        for (int d = 0; d < columns; ++d) squares += std::isnan(gap(d)) ? 0 : gap(d) * gap(d);
        return -0.5 * squares / (sigma.x * sigma.x);
      };
      check_flips(likelihood, z, i, naive, rng);
      const auto ratio = [](int j) { return std::log(2.0 / (j + 1)); };
      likelihood.leave(z, likelihood.draw_own(ratio, rng));
    }
  }
}

}  // namespace

TEST_CASE("subsets of flips have the collapsed likelihood of the flipped matrix") {
  check_collapsed(4, 0);
  check_collapsed(25, 0);
}

TEST_CASE("densities of subsets of flips are right with missing entries") {
  check_collapsed(4, 0.3);
}

TEST_CASE("subsets of flips have the density of the row given its loadings") {
  check_explicit<GaussianUncollapsed>(0);
  check_explicit<GaussianUncollapsed>(0.3);
  check_explicit<GaussianNonnegative>(0.3);
}

TEST_CASE("which features are coupled does not depend on the bits of the row") {
  Rng rng(603);
  int some = 0, all = 0;
  for (int n = 0; n < 300; ++n) {
    const int rows = 4 + rng.below(6), i = rng.below(rows);
    const Features truth = random_features(rows, 3, rng);
    GaussianCase g(draw_data(truth, 3, {0.7, 14}, rng), {0.6, 14});
    const Features z = random_features(rows, 5, rng);
    std::vector<int> shared;
    for (int k = 0; k < z.size(); ++k)
      if (!z.is_own(i, k)) shared.push_back(k);
    const auto coupled_at = [&](const Features& at) {
      g.likelihood.reset(at);
      g.likelihood.enter(at, i);
      return couplings(g.likelihood, at.size());
    };
    const std::vector<bool> before = coupled_at(z);
    CHECK(before == coupled_at(with_flips(z, i, shared, rng.below(1 << shared.size()))));
    for (bool coupled : before) some += coupled;
    all += static_cast<int>(before.size());
  }
  CHECK(some > all / 10);
  CHECK(some < all * 9 / 10);
}

TEST_CASE("a subset of flips is drawn in proportion to its weight") {
  Rng rng(604);
  const std::vector<double> weights{1, 2, 0.5, 4};
  std::vector<double> counts(4);
  const int draws = 40000;
  for (int n = 0; n < draws; ++n) {
    std::array<double, 4> logs;
    for (int c = 0; c < 4; ++c) logs[c] = 700 + std::log(weights[c]);
    ++counts[draw_flips(logs.data(), 4, rng)];
  }
  for (int c = 0; c < 4; ++c) {
    const double p = weights[c] / 7.5;
    CHECK(std::abs(counts[c] - draws * p) < 4 * std::sqrt(draws * p * (1 - p)));
  }
}

namespace {

/// The parts of a chain that a block uses.
struct Parts {
  Features z;
  Exchangeable prior;
  GaussianCollapsed& likelihood;
};

}  // namespace

TEST_CASE("weights of flips include the prior of every bit") {
  Rng rng(605);
  GaussianCase g(9, 3, sigma, rng);
  const Features z = random_features(9, 5, rng);
  const Exchangeable prior(9, {Hyper::fixed(1.3)});
  g.likelihood.reset(z);
  g.likelihood.enter(z, 2);
  const Parts parts{z, prior, g.likelihood};
  BitBlock block;
  std::vector<int> bits;
  for (int k = 0; k < z.size(); ++k)
    if (!z.is_own(2, k)) bits.push_back(block.bits[block.size++] = k);
  REQUIRE(block.size > 2);
  std::array<double, Flips::subsets> weights;
  weigh_flips(block, 2, parts, weights.data());
  const auto log_joint = [&](const Features& at) {
    return g.naive_log_lik(at) + prior.log_prob(at);
  };
  for (int flips = 1; flips < 1 << block.size; ++flips)
    check_close(weights[flips] - weights[0],
                log_joint(with_flips(z, 2, bits, flips)) - log_joint(z), 100);
}
