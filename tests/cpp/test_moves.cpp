#include <testthat/vendor/catch.h>

#include "comparison.h"
#include "draws.h"

using namespace test;

namespace {

/// Draws everything in a chain other than Z, given Z.
void draw_rest(Chain& chain, const Enumeration& exact, Rng& rng) {
  auto& completed = chain.likelihood.completed();
  if (!completed.data().complete()) {
    const Eigen::MatrixXd z = dense(chain.z);
    const Eigen::MatrixXd fit = z * draw_loadings(z, exact.x(), exact.sigma(), rng);
    for (int i = 0; i < chain.z.rows(); ++i) {
      int h = 0;
      completed.data().for_hidden(
          i, [&](int d) { completed.hidden(i)(h++) = fit(i, d) + exact.sigma().x * rng.normal(); });
    }
  }
  chain.likelihood.reset(chain.z);
}
template <class C>
void draw_rest(C& chain, const Enumeration& exact, Rng& rng) {
  set_loadings(chain.likelihood,
               draw_loadings(dense(chain.z), exact.x(), exact.sigma(), rng).transpose());
}

template <class C>
void check_invariance(MoveOf<C> move, double least_changed, Missing missing = Missing::none,
                      const Scales& sigma = {0.8, 1.3}) {
  for (const auto& prior : cases_of<C>()) {
    if (missing != Missing::none && prior.learns_c && prior.parameters.n_features == 0) continue;
    INFO(prior.name);
    const Enumeration exact(prior, spread_data(missing), sigma);
    const auto rest = [&](C& chain, Rng& rng) { draw_rest(chain, exact, rng); };
    const Outcome outcome =
        moved_once(exact, exact.chain<C>(Features(3), Rng(82)), scaled(shorter(200000, 20)),
                   Rng(81), rest, move, [](const C&) {});
    CHECK(outcome.p > 1e-5);
    CHECK(outcome.changed > least_changed);
  }
}

}  // namespace

TEST_CASE("visits to all rows leave the posterior invariant, and change most matrices") {
  check_invariance<Chain>(visit_rows, 0.5);
  check_invariance<Chain>(visit_rows, 0.5, Missing::two_entries);
}

TEST_CASE("visits to all rows with loadings in the state leave the posterior invariant") {
  check_invariance<UncollapsedChain>(visit_rows, 0.4);
  check_invariance<UncollapsedChain>(visit_rows, 0.4, Missing::two_entries);
}

TEST_CASE("visits to all rows with noise per column leave the posterior invariant") {
  const Scales sigma{0.8, 1.3, {0.5, 1.4}};
  check_invariance<ColumnNoiseChain>(visit_rows, 0.4, Missing::none, sigma);
  check_invariance<ColumnNoiseChain>(visit_rows, 0.4, Missing::two_entries, sigma);
}

TEST_CASE("visits to all rows with probabilities of features leave the posterior invariant") {
  check_invariance<SliceChain>(visit_rows, 0.2);
  check_invariance<SliceChain>(visit_rows, 0.2, Missing::two_entries);
}

TEST_CASE("exclusive-or moves leave the posterior invariant, and change many matrices") {
  check_invariance<Chain>(exclusive_or_moves, 0.1);
}

TEST_CASE("split-merge moves leave the posterior invariant, and change some matrices") {
  check_invariance<Chain>(split_merge_move, 0.03);
}

TEST_CASE(
    "a feature for common rows, with loadings integrated out, leaves the posterior invariant") {
  check_invariance<Chain>(separate_share_move, 0.03);
  check_invariance<Chain>(separate_share_move, 0.03, Missing::two_entries);
}

TEST_CASE("a feature for common rows leaves the posterior with noise per column invariant") {
  const Scales sigma{0.8, 1.3, {0.5, 1.4}};
  check_invariance<ColumnNoiseChain>(separate_share_move, 0.03, Missing::none, sigma);
  check_invariance<ColumnNoiseChain>(separate_share_move, 0.03, Missing::two_entries, sigma);
}
