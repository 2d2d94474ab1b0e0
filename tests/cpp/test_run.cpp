#include <testthat/vendor/catch.h>

#include <cstdlib>
#include <stdexcept>

#include "runs.h"
#include "tallies.h"

using namespace test;

namespace {

using Run = buffet::Run<Chain>;

}  // namespace

TEST_CASE("a run records every thin-th sweep and saves draws after the warm-up") {
  for (bool search : {false, true})
    for (int thin : {1, 3}) {
      Run run(small_chain(1, 0), {61, 20, thin, search});
      for (int n = 0; n < 61; ++n) {
        CHECK(run.done() == n);
        CHECK_FALSE(run.finished());
        advance(run, 1);
      }
      CHECK(run.finished());
      const int searched =
          search ? buffet::SearchPlan::within(20, buffet::GaussianCollapsed::search_shape).total()
                 : 0;
      const buffet::Trace& trace = run.trace();
      CHECK(trace.records() == 61 / thin - searched / thin);
      CHECK(trace.scalars().size() == trace.records() * Chain::scalar_names().size());
      CHECK(static_cast<int>(trace.sizes().size()) == 61 / thin - 20 / thin);
    }
}

TEST_CASE("thinning omits records and changes nothing else") {
  Run every(small_chain(1, 0), {60, 20, 1, true}), third(small_chain(1, 0), {60, 20, 3, true});
  const auto &all = finish(every), &some = finish(third);
  const auto size = Chain::scalar_names().size();
  // The search takes the first 20 sweeps, so sweep 21 is the first that both record.
  for (int n = 0; n < some.records(); ++n)
    for (std::size_t s = 0; s < size; ++s)
      CHECK(some.scalars()[n * size + s] == all.scalars()[3 * n * size + s]);
}

TEST_CASE("a warm-up that is too short for a search does not search") {
  for (int warmup : {0, 3}) {
    Run run(small_chain(1, 0), {10, warmup, 1, true});
    CHECK(finish(run).records() == 10);
  }
}

TEST_CASE("the records of a run match its state") {
  Run run(small_chain(2, 0), {20, 0, 1, false});
  std::vector<double> expected;
  while (!run.finished()) {
    advance(run, 1);
    const Chain& chain = run.chain();
    const double ll = log_lik(dense(chain.z), small_case().x,
                              {chain.likelihood.sigma_x(), chain.likelihood.sigma_a()});
    for (double v :
         {double(chain.z.size()), double(chain.z.total()), chain.prior.alpha(),
          chain.prior.concentration(), chain.likelihood.sigma_x(), chain.likelihood.sigma_a(), ll})
      expected.push_back(v);
  }
  const auto& scalars = run.trace().scalars();
  REQUIRE(scalars.size() == 20 * 8);
  for (int t = 0; t < 20; ++t)
    for (int s = 0; s < 7; ++s)
      CHECK(scalars[8 * t + s] == Approx(expected[7 * t + s]).epsilon(1e-9));
}

TEST_CASE("a check that throws ends the sweep and leaves the trace as it was") {
  for (bool search : {false, true}) {
    Run run(small_chain(3, 0), {1000, 20, 1, search}), same_run = run;
    advance(run, 25);
    advance(same_run, 25);
    int calls = 0;
    const auto check = [&] {
      if (++calls == 5) throw std::runtime_error("stop");
    };
    CHECK_THROWS_WITH(run.step(check), "stop");
    CHECK(calls == 5);
    CHECK(run.done() == 25);
    CHECK(run.trace().records() == (search ? 5 : 25));
    CHECK(same(run.trace(), same_run.trace()));
  }
}

TEST_CASE("a run sums the tallies of the sweeps after its warm-up") {
  for (bool search : {false, true}) {
    Run run(small_chain(4, 0), {60, 20, 1, search});
    CHECK(run.move_names() ==
          std::vector<std::string>({"exclusive-or", "split-merge", "separate-share"}));
    advance(run, 20);
    for (const buffet::Tally& tally : run.tallies()) CHECK(tally.tried == 0);
    Chain chain = run.chain();
    buffet::Tallies expected(3);
    for (int t = 20; t < 60; ++t) {
      chain.rng.begin(t);
      const buffet::Tallies of_sweep = chain.sweep(buffet::no_check);
      for (int n = 0; n < 3; ++n) expected[n] += of_sweep[n];
    }
    finish(run);
    CHECK(expected[1].tried == 40 * 3);
    for (int n = 0; n < 3; ++n) {
      CHECK(expected[n].tried > 0);
      CHECK((n == 2 || expected[n].accepted > 0));
      CHECK(run.tallies()[n].tried == expected[n].tried);
      CHECK(run.tallies()[n].accepted == expected[n].accepted);
    }
  }
}

TEST_CASE("a run of the plain Gibbs sampler has no extra moves") {
  buffet::Plan plan{10, 0, 1, false};
  plan.bare = true;
  Run run(small_chain(4, 0), plan);
  finish(run);
  CHECK(run.move_names().empty());
  CHECK(run.tallies().empty());
}

TEST_CASE("a run with known features makes no moves of features") {
  CHECK(KnownLogisticChain::move_names().empty());
  CHECK(LogisticChain::move_names() ==
        std::vector<std::string>({"complement", "exclusive-or", "split-merge", "birth-death"}));
  CHECK(NealChain::move_names().empty());
}

TEST_CASE("accepted moves change the features") {
  Chain chain = small_chain(5, 0);
  check_tally<buffet::ExclusiveOr>(chain);
  check_tally<buffet::SplitMerge>(chain);
}

TEST_CASE("a run calls the check at every row, pair, split or merge, and during repairs") {
  const auto calls_of = [](Run& run) {
    int calls = 0;
    run.step([&] { ++calls; });
    return calls;
  };
  Run plain(small_chain(3, 0), {1000, 0, 1, false});
  // A sweep calls the check for eight rows, for three pairs per final feature, and for three splits
  // or merges.
  const int pairs = calls_of(plain) - 8 - 3;
  CHECK(pairs % 3 == 0);
  CHECK(std::abs(pairs / 3 - plain.chain().z.size()) <= 3);
  // The 8th of the 17 sweeps from a start is followed by repairs, which add at least three
  // features.
  Run searching(small_chain(3, 0), {1000, 60, 1, true});
  advance(searching, 7);
  CHECK(calls_of(searching) >= 8 + 3 + 3 * 8);
}
