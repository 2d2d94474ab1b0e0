#include <testthat/vendor/catch.h>

#include "draws.h"
#include "logistic_case.h"
#include "moves.h"
#include "scales.h"
#include "statistics.h"

// Moves that are accepted with three features are not necessarily accepted with fifty.

using namespace test;

namespace {

constexpr int rows = 100, columns = 6, size = 50;
const Scales sigma{1, 1};

Features fifty_features(Rng& rng) {
  Features z(rows);
  while (z.size() < size) {
    buffet::Bits column(rows);
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(0.2)) column.set(i);
    z.add(std::move(column));
  }
  return z;
}

Exchangeable prior() {
  return {rows, {Hyper::fixed(10), Hyper::fixed(1), 0, 0}};
}

/// Every move that the chain tries must be accepted at least once within several sweeps.
template <class C>
void check_accepted(C chain) {
  buffet::Tallies totals(C::move_names().size());
  Mean features;
  for (int t = 0; t < 60; ++t) {
    const buffet::Tallies tallies = sweep_and_count(chain);
    for (std::size_t m = 0; m < tallies.size(); ++m) totals[m] += tallies[m];
    features.add(chain.z.size());
  }
  CHECK(features.value() > 0.8 * size);
  for (std::size_t m = 0; m < totals.size(); ++m) {
    INFO(C::move_names()[m] << ": " << totals[m].accepted << " of " << totals[m].tried);
    CHECK((totals[m].accepted > 0 || totals[m].tried == 0));
  }
}

template <class C>
void check_gaussian(int seed, const Scales& scales) {
  Rng rng(seed);
  const Features z = fifty_features(rng);
  Eigen::MatrixXd a = draw_normal(size, columns, scales.a, rng);
  if (std::is_same_v<C, NonnegativeChain>) a = a.cwiseAbs();
  const Eigen::MatrixXd x = dense(z) * a + draw_noise(rows, columns, scales, rng);
  const buffet::GaussianData data(Eigen::MatrixXd(x.transpose()), false);
  C chain(z, prior(), {data, fixed_precisions(scales)}, Rng(seed, 1));
  if constexpr (std::is_same_v<C, ColumnNoiseChain>) set_scales(chain.likelihood, scales);
  if constexpr (!std::is_same_v<C, Chain>) set_loadings(chain.likelihood, a.transpose());
  chain.reset();
  check_accepted(std::move(chain));
}

}  // namespace

TEST_CASE("all moves of Gaussian models are accepted with fifty features") {
  check_gaussian<Chain>(371, sigma);
  check_gaussian<NonnegativeChain>(372, sigma);
  check_gaussian<ColumnNoiseChain>(373, {1, 1, std::vector<double>(columns, 1)});
}

TEST_CASE("all moves of logistic models are accepted with fifty features") {
  Rng rng(374);
  const Features z = fifty_features(rng);
  const Eigen::MatrixXd w = draw_normal(columns, size, 2, rng);
  const Eigen::VectorXd bias = Eigen::VectorXd::Constant(columns, -1);
  const BinaryData data = as_binary(draw_binary(log_odds(dense(z), w, bias), rng));
  Logistic likelihood(data, fixed_scales(2, 1, true));
  likelihood.set_weights(w, bias);
  check_accepted(LogisticChain(z, prior(), likelihood, Rng(374, 1)));
}
