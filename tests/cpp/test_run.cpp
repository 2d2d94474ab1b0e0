#include <testthat/vendor/catch.h>

#include <chrono>
#include <stdexcept>

#include "gaussian_case.h"
#include "inference/run.h"
#include "moves.h"

using namespace test;

namespace {

const GaussianCase& small_case() {
  static Rng rng(121);
  static const GaussianCase g(8, 3, {0.6, 1.7}, rng);
  return g;
}

Chain small_chain(std::uint64_t seed, std::uint64_t stream) {
  const auto& g = small_case();
  return Chain(Features(8), Exchangeable(8, {Hyper::gamma(2.7, 1.6), Hyper::gamma(1.7, 1.2), 0, 0}),
               buffet::GaussianCollapsed(g.data, {Hyper::gamma(1.3, 0.7), Hyper::gamma(1.4, 0.8)}),
               Rng(seed, stream));
}

bool same(const buffet::Trace& a, const buffet::Trace& b) {
  return a.scalars() == b.scalars() && a.sizes() == b.sizes() && a.bits() == b.bits();
}

std::vector<buffet::Trace> run_four(int cores, std::uint64_t seed) {
  std::vector<buffet::Trace> traces(4);
  const buffet::Plan plan{60, 20, 1, true};
  const auto work = [&](int c, auto report) {
    Chain chain = small_chain(seed, c);
    buffet::run(chain, plan, traces[c], report);
  };
  buffet::run_chains(4, cores, work, [](const std::vector<int>&) { return true; });
  return traces;
}

/// Works until it is told to stop.
const auto endless = [](int, auto report) {
  for (int n = 1; report(n); ++n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
};
const auto go_on = [](const std::vector<int>&) { return true; };

struct Stopwatch {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
};

}  // namespace

TEST_CASE("a run records every thin-th sweep and keeps what follows the warm-up") {
  for (bool search : {false, true})
    for (int thin : {1, 3}) {
      Chain chain = small_chain(1, 0);
      buffet::Trace trace;
      int last = 0;
      buffet::run(chain, {61, 20, thin, search}, trace, [&](int n) { return last = n, true; });
      const int done = search ? buffet::SearchPlan::within(20).total() : 0;
      CHECK(last == 61);
      CHECK(trace.records() == 61 / thin - done / thin);
      CHECK(trace.scalars().size() == trace.records() * Chain::scalar_names().size());
      CHECK(static_cast<int>(trace.sizes().size()) == 61 / thin - 20 / thin);
    }
}

TEST_CASE("what a run records is the state") {
  Chain chain = small_chain(2, 0);
  buffet::Trace trace;
  std::vector<double> expected;
  buffet::run(chain, {20, 0, 1, false}, trace, [&](int) {
    const double ll = log_lik(dense(chain.z), small_case().x,
                              {chain.likelihood.sigma_x(), chain.likelihood.sigma_a()});
    for (double v :
         {double(chain.z.size()), double(chain.z.total()), chain.prior.alpha(),
          chain.prior.concentration(), chain.likelihood.sigma_x(), chain.likelihood.sigma_a(), ll})
      expected.push_back(v);
    return true;
  });
  const auto& scalars = trace.scalars();
  REQUIRE(scalars.size() == 20 * 8);
  for (int t = 0; t < 20; ++t)
    for (int s = 0; s < 7; ++s)
      CHECK(scalars[8 * t + s] == Approx(expected[7 * t + s]).epsilon(1e-9));
}

TEST_CASE("a run stops at once when it is told to") {
  Chain chain = small_chain(3, 0);
  buffet::Trace trace;
  buffet::run(chain, {1000, 0, 1, false}, trace, [](int n) { return n < 5; });
  CHECK(trace.records() == 5);
}

TEST_CASE("results do not depend on the number of cores") {
  const auto one = run_four(1, 9), two = run_four(2, 9), many = run_four(7, 9);
  for (int c = 0; c < 4; ++c) {
    CHECK(same(one[c], two[c]));
    CHECK(same(one[c], many[c]));
  }
}

TEST_CASE("one seed gives one result; chains and seeds differ") {
  const auto a = run_four(2, 9), b = run_four(2, 9), other = run_four(2, 10);
  for (int c = 0; c < 4; ++c) {
    CHECK(same(a[c], b[c]));
    CHECK_FALSE(same(a[c], other[c]));
    CHECK_FALSE(same(a[c], a[(c + 1) % 4]));
  }
}

TEST_CASE("chains stop within a second when the watch says so") {
  for (int cores : {1, 2}) {
    const Stopwatch watch;
    int asked = 0;
    buffet::run_chains(4, cores, endless, [&](const std::vector<int>&) { return ++asked < 3; });
    CHECK(watch.seconds() < 1);
  }
}

TEST_CASE("the watch sees how far each chain is") {
  std::vector<int> last;
  const auto work = [](int c, auto report) { report(10 + c); };
  buffet::run_chains(3, 2, work, [&](const std::vector<int>& done) { return last = done, true; });
  CHECK(last == std::vector<int>({10, 11, 12}));
}

TEST_CASE("exceptions of a chain or of the watch reach the caller and end all chains") {
  const Stopwatch watch;
  const auto failing = [](int c, auto report) {
    if (c == 1) throw std::runtime_error("chain 1 broke");
    endless(c, report);
  };
  CHECK_THROWS_WITH(buffet::run_chains(3, 2, failing, go_on), "chain 1 broke");
  const auto interrupt = [](const std::vector<int>&) -> bool { throw std::runtime_error("stop"); };
  CHECK_THROWS_WITH(buffet::run_chains(3, 2, endless, interrupt), "stop");
  CHECK(watch.seconds() < 2);
}
