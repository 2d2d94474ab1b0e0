#include <testthat/vendor/catch.h>

#include <cmath>
#include <stdexcept>

#include "gaussian_case.h"
#include "gibbs/warmup.h"
#include "moves.h"

using namespace test;

namespace {

Chain learning_chain(const GaussianCase& g, std::uint64_t seed) {
  return Chain(Features(g.data.rows()),
               Exchangeable(g.data.rows(), {Hyper::gamma(2.7, 1.6), Hyper::fixed(1), 0, 0}),
               buffet::GaussianCollapsed(g.data, {Hyper::gamma(1.3, 0.7), Hyper::gamma(1.4, 0.8)}),
               Rng(seed));
}

/// The final chain of a search of this many sweeps that begins with this chain.
Chain searched(const Chain& chain, int warmup) {
  buffet::Search<Chain> search(
      chain, buffet::SearchPlan::within(warmup, buffet::GaussianCollapsed::search_shape));
  for (int n = 0; n < search.total(); ++n) search.step(n, [] {});
  return search.chain();
}

Features four_features(Rng& rng) {
  Features z(60);
  for (int k = 0; k < 4; ++k) {
    buffet::Bits column(60);
    for (int i = 0; i < 60; ++i)
      if (rng.bernoulli(0.4)) column.set(i);
    z.add(column);
  }
  return z;
}

}  // namespace

TEST_CASE("a search plan fits in the warm-up") {
  for (int warmup : {0, 1, 2, 3, 4, 7, 49, 50, 100, 349, 350, 351, 5000}) {
    const auto plan = buffet::SearchPlan::within(warmup, buffet::GaussianCollapsed::search_shape);
    CHECK(plan.sweeps_each >= 0);
    CHECK(plan.sweeps_best >= 0);
    CHECK(plan.total() <= warmup);
  }
  CHECK(buffet::SearchPlan::within(350, buffet::GaussianCollapsed::search_shape).total() == 350);
}

TEST_CASE("the single feature of a start is never empty") {
  Rng rng(111);
  for (int n = 0; n < 200; ++n) CHECK(buffet::one_feature(2, 0.5, rng).count(0) > 0);
}

TEST_CASE("a search ends without a noise floor, and its state is consistent") {
  Rng rng(112);
  GaussianCase g(20, 6, {0.6, 1.7}, rng);
  for (int warmup : {4, 10, 60}) {
    const Chain chain = searched(learning_chain(g, 5), warmup);
    const double sigma_x = chain.likelihood.sigma_x(), sigma_a = chain.likelihood.sigma_a();
    CHECK(chain.likelihood.noise_variance() == Approx(sigma_x * sigma_x).epsilon(1e-12));
    CHECK(chain.likelihood.rho() == Approx(std::pow(sigma_x / sigma_a, 2)).epsilon(1e-12));
    CHECK(chain.likelihood.log_lik(chain.z) ==
          Approx(log_lik(dense(chain.z), g.x, {sigma_x, sigma_a})).epsilon(1e-9));
    Chain precise = chain;
    precise.likelihood.set_precisions(1e4, 1);
    CHECK(precise.likelihood.noise_variance() == Approx(1e-4).epsilon(1e-12));
  }
}

TEST_CASE("a search continues with the best of its three starts") {
  Rng rng(116);
  GaussianCase g(20, 6, {0.6, 1.7}, rng);
  const auto plan = buffet::SearchPlan::within(70, buffet::GaussianCollapsed::search_shape);
  for (int seed : {5, 6, 7}) {
    buffet::Search<Chain> search(learning_chain(g, seed), plan);
    std::vector<Chain> ends;
    for (int n = 0; n < plan.starts * plan.sweeps_each; ++n) {
      search.step(n, [] {});
      if ((n + 1) % plan.sweeps_each == 0) ends.push_back(search.chain());
    }
    // After the last start, the search has switched to the best chain.
    CHECK(ends[2].score() >= std::max(ends[0].score(), ends[1].score()));
  }
}

TEST_CASE("a search stops when its check throws, at any sweep") {
  Rng rng(113);
  GaussianCase g(8, 3, {0.6, 1.7}, rng);
  for (int stop : {1, 7, 32}) {
    buffet::Search<Chain> search(
        learning_chain(g, 6),
        buffet::SearchPlan::within(35, buffet::GaussianCollapsed::search_shape));
    for (int n = 0; n < stop; ++n) search.step(n, [] {});
    CHECK_THROWS_WITH(search.step(stop, [] { throw std::runtime_error("stop"); }), "stop");
  }
}

TEST_CASE(
    "a search finds features equally well in data in the thousands and in data of order one") {
  Rng rng(115);
  const Features truth = four_features(rng);
  GaussianCase g(draw_data(truth, 20, {400, 1300}, rng), {400, 1300});
  Chain chain = searched(learning_chain(g, 8), 350);
  const double found = chain.score();
  chain.restart(truth);
  for (int n = 0; n < 100; ++n) chain.sweep();
  CHECK(found > chain.score() - 20);
}

TEST_CASE("a search finds features at least as probable as those that generated the data") {
  Rng rng(114);
  const Features truth = four_features(rng);
  GaussianCase g(draw_data(truth, 20, {0.4, 1.3}, rng), {0.4, 1.3});
  const Exchangeable prior = PriorCase{"", {1.6, 1, 0, 0}, false}.fixed(60);
  const Chain chain(truth, prior, g.likelihood, Rng(7));
  CHECK(searched(chain, 350).log_joint() > chain.log_joint() - 5);
}

TEST_CASE("a search finds the features if a fifth of the entries are missing") {
  Rng rng(117);
  const Features truth = four_features(rng);
  Eigen::MatrixXd x = draw_data(truth, 20, {0.4, 1.3}, rng);
  for (int n = 0; n < x.size(); ++n)
    if (rng.bernoulli(0.2)) x(n) = NAN;
  GaussianCase g(x, {0.4, 1.3});
  const Exchangeable prior = PriorCase{"", {1.6, 1, 0, 0}, false}.fixed(60);
  const Chain chain(truth, prior, g.likelihood, Rng(7));
  CHECK(searched(chain, 350).log_joint() > chain.log_joint() - 5);
}

TEST_CASE("a search finds features that all raise the same entries") {
  // Starting from a single feature, searches end hundreds of nats lower, with features that encode
  // how many other features a row has.
  Rng rng(118);
  constexpr int rows = 300, columns = 200, size = 16;
  Features truth(rows);
  Eigen::MatrixXd x = Eigen::MatrixXd::NullaryExpr(columns, rows, [&] { return rng.normal(); });
  for (int k = 0; k < size; ++k) {
    buffet::Bits column(rows);
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(0.4)) column.set(i);
    for (int d = 0; d < columns; ++d)
      if (rng.bernoulli(1 / 3.0)) column.for_each([&](int i) { x(d, i) += 1; });
    truth.add(std::move(column));
  }
  const GaussianCase g(x.transpose(), {1, 0.5});
  Chain chain = searched(learning_chain(g, 8), 350);
  const double found = chain.score();
  chain.restart(truth);
  for (int n = 0; n < 50; ++n) chain.sweep();
  CHECK(found > chain.score() - 30);
}
