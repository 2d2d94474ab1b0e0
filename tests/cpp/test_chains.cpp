#include <testthat/vendor/catch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "gibbs/chains.h"
#include "runs.h"

using namespace test;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A likelihood whose row visits are slow from a given visit on, and which throws at another visit.
class Tempered : public buffet::GaussianCollapsed {
 public:
  struct Temper {
    int milliseconds = 0, breaks_at = -1, slow_from = 1;
    std::atomic<int>* visits = nullptr;  ///< counts the visits for the test
  };

  Tempered(const buffet::GaussianCollapsed& likelihood, Temper temper)
      : GaussianCollapsed(likelihood), temper_(temper) {}

  void enter(const Features& z, int i) {
    if (temper_.visits) ++*temper_.visits;
    if (++visits_ == temper_.breaks_at) throw std::runtime_error("this chain broke");
    if (temper_.milliseconds > 0 && visits_ >= temper_.slow_from)
      std::this_thread::sleep_for(std::chrono::milliseconds(temper_.milliseconds));
    GaussianCollapsed::enter(z, i);
  }

 private:
  Temper temper_;
  int visits_ = 0;
};

using Temper = Tempered::Temper;
using TemperedChain = buffet::Gibbs<Exchangeable, Tempered>;
using Run = buffet::Run<TemperedChain>;
using buffet::Chains;

/// There are eight rows, so a sweep takes as long as eight visits.
Run tempered_run(int stream, int sweeps, Temper temper = {}) {
  const Chain chain = small_chain(9, stream);
  return Run({chain.z, chain.prior, Tempered(chain.likelihood, temper), chain.rng},
             {sweeps, 0, 1, false});
}

Chains tempered_chains(int chains, int sweeps, Temper temper = {}) {
  std::vector<Run> runs;
  for (int c = 0; c < chains; ++c) runs.push_back(tempered_run(c, sweeps, temper));
  return chains_of(std::move(runs));
}

const auto go_on = [](Chains&) { return true; };

/// True if a chain with this snapshot continues to the same result as the original chain.
bool leads_to_the_end(const buffet::Snapshot& snapshot, int stream, int sweeps) {
  Run whole = tempered_run(stream, sweeps), rest = tempered_run(stream + 10, sweeps);
  finish(whole);
  buffet::from_bytes(snapshot.state, rest);
  const int recorded = snapshot.trace.records();
  return rest.done() == recorded && recorded + finish(rest).records() == sweeps &&
         starts_with(whole.trace(), snapshot.trace) && ends_with(whole.trace(), rest.trace()) &&
         buffet::to_bytes(rest) == buffet::to_bytes(whole);
}

}  // namespace

TEST_CASE("chains on threads record what each would record alone") {
  for (int cores : {1, 2}) {
    Chains chains = tempered_chains(3, 200);
    chains.work(cores, go_on);
    const auto ends = take_all(chains);
    for (int c = 0; c < 3; ++c) {
      Run alone = tempered_run(c, 200);
      CHECK(same(ends[c].trace, finish(alone)));
      CHECK(ends[c].state == buffet::to_bytes(alone));
      CHECK(ends[c].failure == "");
    }
  }
}

TEST_CASE("the final snapshot of a chain is taken once, with its whole trace") {
  Chains chains = tempered_chains(2, 50);
  chains.work(2, go_on);
  for (int c = 0; c < 2; ++c) {
    const buffet::Snapshot before = chains.snapshot(c), end = chains.take(c);
    CHECK(same(end.trace, before.trace));
    CHECK(end.state == before.state);
    CHECK(chains.snapshot(c).trace.records() == 0);
  }
}

TEST_CASE("chains stop within a second of the watch's request, at the end of a sweep") {
  for (int cores : {1, 2}) {
    const auto start = Clock::now();
    int asked = 0;
    Chains chains = tempered_chains(4, 100000, {1});
    chains.work(cores, [&](Chains&) { return ++asked < 3; });
    CHECK(seconds_since(start) < 1);
    CHECK(asked == 4);  // for the last time after all have ended
    const auto ends = take_all(chains);
    for (int c = 0; c < 4; ++c) {
      Run alone = tempered_run(c, 100000);
      advance(alone, ends[c].trace.records());
      CHECK(same(ends[c].trace, alone.trace()));
      CHECK(ends[c].state == buffet::to_bytes(alone));
      CHECK(chains.done()[c] == alone.done());
    }
  }
}

TEST_CASE("a slow sweep is abandoned, and the state is restored to the one before it") {
  for (int cores : {1, 2})
    for (int sweeps_before : {0, 1}) {
      Chains chains = tempered_chains(2, 5, {100});  // 0.8 seconds per sweep
      chains.work(cores, [&](Chains& all) { return all.done()[0] < sweeps_before; });
      const auto ends = take_all(chains);
      CHECK(chains.done()[0] == sweeps_before);
      for (int c = 0; c < 2; ++c) {
        CHECK(ends[c].trace.records() == chains.done()[c]);
        CHECK(ends[c].failure == "");
        CHECK(leads_to_the_end(ends[c], c, 5));
      }
    }
}

TEST_CASE("a sweep that suddenly becomes slow leaves the trace, but no state") {
  Chains chains = tempered_chains(1, 20, {100, -1, 8 * 12 + 1});
  chains.work(1, [&](Chains& all) { return all.done()[0] < 12; });
  const auto end = chains.take(0);
  CHECK(end.trace.records() == 12);
  CHECK(end.state.empty());
  CHECK(end.failure == "");
}

TEST_CASE("a sweep that is not too slow is finished before the chains stop") {
  std::atomic<int> visits{0};
  Chains chains = tempered_chains(1, 100000, {15, -1, 1, &visits});  // 0.12 seconds per sweep
  const auto start = Clock::now();
  chains.work(1, [&](Chains&) { return visits < 2; });
  CHECK(seconds_since(start) < 1);
  CHECK(chains.done()[0] == 1);
  Run one = tempered_run(0, 100000);
  advance(one, 1);
  CHECK(chains.take(0).state == buffet::to_bytes(one));
}

TEST_CASE("the watch sees the progress of each chain") {
  std::vector<Run> runs;
  for (int c = 0; c < 3; ++c) runs.push_back(tempered_run(c, 10 + c));
  Chains chains = chains_of(std::move(runs));
  std::vector<int> last;
  chains.work(2, [&](Chains& all) { return last = all.done(), true; });
  CHECK(last == std::vector<int>({10, 11, 12}));
}

TEST_CASE("an exception in the watch reaches the caller after all threads have ended") {
  const auto start = Clock::now();
  for (int cores : {1, 2}) {
    Chains chains = tempered_chains(3, 100000, {1});
    const auto interrupt = [](Chains&) -> bool { throw std::runtime_error("stop"); };
    CHECK_THROWS_WITH(chains.work(cores, interrupt), "stop");
    const auto done = chains.done();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    CHECK(chains.done() == done);
  }
  CHECK(seconds_since(start) < 2);
}

TEST_CASE(
    "a failed chain reports the reason and leaves its trace; the others continue to the end") {
  for (int cores : {1, 2}) {
    std::vector<Run> runs;
    for (int c = 0; c < 3; ++c) runs.push_back(tempered_run(c, 50, {0, c == 1 ? 8 * 20 + 3 : -1}));
    Chains chains = chains_of(std::move(runs));
    chains.work(cores, go_on);
    CHECK(chains.done() == std::vector<int>({50, 20, 50}));
    const auto ends = take_all(chains);
    CHECK(ends[1].failure == "this chain broke");
    CHECK(ends[1].state.empty());
    Run alone = tempered_run(1, 50);
    advance(alone, 20);
    CHECK(same(ends[1].trace, alone.trace()));
    for (int c : {0, 2}) {
      CHECK(ends[c].failure == "");
      CHECK(leads_to_the_end(ends[c], c, 50));
    }
  }
}

TEST_CASE("snapshots of running chains give states that lead to the same end") {
  for (int cores : {1, 2}) {
    constexpr int sweeps = 30;
    Chains chains = tempered_chains(3, sweeps, {1});
    std::vector<buffet::Snapshot> taken;
    bool asked = false;
    chains.work(cores, [&](Chains& all) {
      if (asked && all.answered()) {
        for (int c = 0; c < 3; ++c) taken.push_back(all.snapshot(c));
        asked = false;
      } else if (!asked) {
        for (int c = 0; c < 3; ++c) CHECK((taken.size() > 0 || all.snapshot(c).state.empty()));
        all.ask();
        asked = true;
      }
      return true;
    });
    int on_the_way = 0;
    for (std::size_t n = 0; n < taken.size(); ++n) {
      const int records = taken[n].trace.records();
      on_the_way += records > 0 && records < sweeps;
      CHECK(leads_to_the_end(taken[n], static_cast<int>(n % 3), sweeps));
    }
    CHECK(on_the_way > 0);
  }
}

TEST_CASE("four chains on one core have made equal progress when they are stopped") {
  Chains chains = tempered_chains(4, 100000, {1});
  const auto sum = [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); };
  chains.work(1, [&](Chains& all) { return sum(all.done()) < 100; });
  for (int done : chains.done()) CHECK(4 * done > 0.5 * sum(chains.done()));
}

TEST_CASE("a finished chain has nothing left to do") {
  Run ended = tempered_run(0, 20);
  const buffet::Trace trace = finish(ended);
  const auto state = buffet::to_bytes(ended);
  Chains chains = chains_of(std::vector<Run>{ended, tempered_run(1, 5)});
  chains.work(2, go_on);
  CHECK(chains.done() == std::vector<int>({20, 5}));
  const auto end = chains.take(0);
  CHECK(same(end.trace, trace));
  CHECK(end.state == state);
}

TEST_CASE("a segment ends with the sweep in which its time runs out, after at least one sweep") {
  struct Case {
    double seconds;
    int milliseconds, most;  // time of a visit (eight per sweep); maximum number of sweeps
  };
  // A sweep takes 0.48 s and would be discarded if it were stopped.
  for (const Case& of : {Case{0, 60, 1}, Case{0.2, 60, 1}, Case{0.3, 4, 12}}) {
    Chains chains = tempered_chains(1, 1000, {of.milliseconds});
    const auto start = Clock::now();
    chains.stretch(of.seconds, 1, go_on);
    const double passed = seconds_since(start);
    CHECK(passed >= of.seconds);
    CHECK(passed < of.seconds + 0.008 * of.milliseconds + 1);
    CHECK(chains.done()[0] >= 1);
    CHECK(chains.done()[0] <= of.most);
    CHECK(leads_to_the_end(chains.take(0), 0, 1000));
  }
  Chains short_ones = tempered_chains(2, 20);
  short_ones.stretch(100, 2, go_on);
  CHECK(short_ones.done() == std::vector<int>({20, 20}));
  Chains stopped = tempered_chains(1, 1000, {5});
  const auto start = Clock::now();
  stopped.stretch(100, 1, [&](Chains&) { return seconds_since(start) < 0.2; });
  CHECK(stopped.done()[0] < 1000);
  CHECK(leads_to_the_end(stopped.take(0), 0, 1000));
}
