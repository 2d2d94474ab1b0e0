#include <testthat/vendor/catch.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "runs.h"

using namespace test;

namespace {

using buffet::AnyRun;
using buffet::Chains;
using buffet::Plan;

/// A chain that stays in its mode: its log joint is normally distributed around the level of the
/// mode. It may fail in one of its sweeps.
struct Caught {
  static constexpr bool searches = false;
  struct NoLikelihood {
    static constexpr bool keeps_loadings = false;
  };

  double level;
  Rng rng;
  int breaks_at = -1, sweeps = 0;
  double log_joint = 0;
  Features z{1};
  NoLikelihood likelihood{};

  Caught(double level_, int stream, int breaks = -1)
      : level(level_), rng(3, stream), breaks_at(breaks) {}
  Caught(const Caught&) = default;
  /// Copies only the state: a chain fails at its own sweep, regardless of the chain from which it
  /// continues.
  Caught& operator=(const Caught& other) {
    level = other.level;
    log_joint = other.log_joint;
    rng = other.rng;
    return *this;
  }

  void sweep(const buffet::Check&) {
    if (++sweeps == breaks_at) throw std::runtime_error("this chain broke");
    log_joint = level + rng.normal();
  }
  std::vector<double> scalars() const { return {log_joint}; }
  static std::vector<std::string> scalar_names() { return {"log_joint"}; }
  void archive(buffet::Archive& a) {
    a(level);
    a(log_joint);
    a(rng);
  }
};

using Run = buffet::Run<Caught>;

const auto go_on = [](Chains&) { return true; };

constexpr int meeting = 600;

Plan plan(bool regroup = true, int warmup = 1000) {
  return {1500, warmup, 1, false, regroup};
}

const std::vector<double> levels{-1.5, 0, -9, -30};

Chains caught(const Plan& plan, int third_breaks_at = -1) {
  std::vector<Run> runs;
  for (int c = 0; c < 4; ++c)
    runs.emplace_back(Caught(levels[c], c, c == 2 ? third_breaks_at : -1), plan);
  return chains_of(std::move(runs));
}

std::vector<buffet::Snapshot> ends(const Plan& plan, int cores, int third_breaks_at = -1) {
  Chains chains = caught(plan, third_breaks_at);
  chains.work(cores, go_on);
  return take_all(chains);
}

double mean(const std::vector<double>& values, int from, int to) {
  double sum = 0;
  for (int t = from; t < to; ++t) sum += values[t];
  return sum / (to - from);
}

std::vector<int> begun_from(const std::vector<buffet::Snapshot>& ends) {
  std::vector<int> from;
  for (const auto& end : ends) from.push_back(end.begun_from);
  return from;
}

}  // namespace

TEST_CASE("only chains more than two standard deviations below the best continue from it") {
  const auto all = ends(plan(), 2);
  CHECK(begun_from(all) == std::vector<int>({0, 1, 1, 1}));
  for (int c = 0; c < 4; ++c) {
    const auto& values = all[c].trace.scalars();
    REQUIRE(values.size() == 1500);
    CHECK(std::abs(mean(values, 0, meeting) - levels[c]) < 0.2);
    CHECK(std::abs(mean(values, meeting, 1500) - (c == 0 ? levels[0] : 0)) < 0.2);
  }
}

TEST_CASE("after the barrier, chains have their own random numbers") {
  const auto all = ends(plan(), 1);
  for (int t : {meeting, 1000, 1499}) {
    CHECK(all[2].trace.scalars()[t] != all[1].trace.scalars()[t]);
    CHECK(all[2].trace.scalars()[t] != all[3].trace.scalars()[t]);
  }
}

TEST_CASE(
    "chains have no barrier if it is not requested, the warm-up is short, or there is one chain") {
  const std::vector<int> never(4, -1);
  CHECK(begun_from(ends(plan(false), 2)) == never);
  CHECK(begun_from(ends(plan(true, 699), 2)) == never);
  CHECK(begun_from(ends(plan(true, 700), 2)) == std::vector<int>({0, 1, 1, 1}));
  std::vector<Run> one{Run(Caught(0, 0), plan())};
  Chains chains = chains_of(std::move(one));
  chains.work(2, go_on);
  CHECK(chains.take(0).begun_from == 0);
  CHECK(chains.done() == std::vector<int>{1500});
}

TEST_CASE("only the last sweeps before the barrier are compared") {
  Run run(Caught(-1000, 0), plan());
  advance(run, 500);
  CHECK(run.level().count() == 0);
  advance(run, 100);
  CHECK(run.waits());
  CHECK(run.level().count() == 100);
  const auto& values = run.trace().scalars();
  check_close(run.level().mean(), mean(values, 500, 600), 1e-12);
  double squares = 0;
  for (int t = 500; t < 600; ++t) squares += std::pow(values[t] - mean(values, 500, 600), 2);
  check_close(run.level().variance(), squares / 99, 1e-9);
}

TEST_CASE("chains saved before, at or after the barrier end as if uninterrupted") {
  const auto whole = ends(plan(), 1);
  for (int left_at : {100, 550, meeting, meeting + 1, 1200}) {
    std::vector<std::vector<unsigned char>> states;
    {
      // Each chain is saved at the same sweep; chains beyond the barrier have passed it.
      Plan until = plan();
      until.iter = left_at;
      Chains chains = caught(until);
      chains.work(1, go_on);
      for (const auto& snapshot : take_all(chains)) states.push_back(snapshot.state);
    }
    std::vector<Run> rest;
    for (int c = 0; c < 4; ++c) {
      rest.emplace_back(Caught(-100, 10 + c), plan());
      buffet::from_bytes(states[c], rest.back());
    }
    Chains chains = chains_of(std::move(rest));
    chains.work(2, go_on);
    const auto all = take_all(chains);
    CHECK(begun_from(all) == begun_from(whole));
    for (int c = 0; c < 4; ++c) {
      CHECK(all[c].state == whole[c].state);
      CHECK(all[c].trace.records() == 1500 - left_at);
      CHECK(ends_with(whole[c].trace, all[c].trace));
    }
  }
}

TEST_CASE("a chain that fails before the barrier does not prevent the others from passing it") {
  const auto all = ends(plan(), 2, 300);
  CHECK(all[2].failure == "this chain broke");
  CHECK(all[2].trace.records() == 299);
  CHECK(begun_from(all) == std::vector<int>({0, 1, -1, 1}));
  const auto late = ends(plan(), 2, 1400);
  CHECK(late[2].failure == "this chain broke");
  CHECK(late[2].trace.records() == 1399);
}

namespace {

/// Creates the chains of the run with these numbers, with their states if they have any.
Chains some_chains(const std::vector<int>& numbers,
                   const std::vector<std::vector<unsigned char>>& states) {
  std::vector<std::unique_ptr<AnyRun>> runs;
  for (int c : numbers) {
    auto run = std::make_unique<Run>(Caught(levels[c], c), plan());
    if (!states[c].empty()) buffet::from_bytes(states[c], *run);
    runs.push_back(std::move(run));
  }
  return Chains(std::move(runs), numbers);
}

}  // namespace

TEST_CASE("chains run separately between barriers end like chains run together") {
  const auto whole = ends(plan(), 2);
  std::vector<std::vector<unsigned char>> states(4);
  std::vector<int> records(4);
  const auto run_apart = [&] {
    std::vector<buffet::Snapshot> all;
    for (int c = 0; c < 4; ++c) {
      Chains alone = some_chains({c}, states);
      alone.stretch(100, 1, go_on);
      all.push_back(alone.take(0));
      states[c] = all.back().state;
      records[c] += all.back().trace.records();
    }
    return all;
  };
  for (const auto& snapshot : run_apart()) CHECK(snapshot.waits);
  CHECK(records == std::vector<int>(4, meeting));
  // Chains keep waiting until all of them are in the same process.
  for (const auto& snapshot : run_apart()) CHECK(snapshot.waits);
  Chains standing = some_chains({0, 3}, states);
  standing.stand();
  for (const auto& snapshot : take_all(standing)) CHECK(snapshot.waits);
  Chains together = some_chains({3, 1, 0, 2}, states);
  together.meet();
  const auto met = take_all(together);
  CHECK(begun_from(met) == std::vector<int>({1, 1, 0, 1}));
  const std::vector<int> order{3, 1, 0, 2};
  for (int n = 0; n < 4; ++n) {
    CHECK(!met[n].waits);
    CHECK(met[n].trace.records() == 0);
    states[order[n]] = met[n].state;
  }
  const auto all = run_apart();
  CHECK(begun_from(all) == begun_from(whole));
  for (int c = 0; c < 4; ++c) {
    CHECK(all[c].state == whole[c].state);
    CHECK(ends_with(whole[c].trace, all[c].trace));
  }
}

TEST_CASE("if only some chains have continued from the barrier, there is no second one") {
  const auto whole = ends(plan(), 2);
  Chains chains = caught(plan());
  chains.stretch(100, 1, go_on);
  chains.meet();
  std::vector<std::vector<unsigned char>> states;
  for (const auto& snapshot : take_all(chains)) states.push_back(snapshot.state);
  Chains one = some_chains({1}, states);
  one.stretch(100, 1, go_on);
  states[1] = one.take(0).state;
  Chains rest = some_chains({0, 1, 2, 3}, states);
  rest.work(2, go_on);
  const auto all = take_all(rest);
  CHECK(begun_from(all) == begun_from(whole));
  for (int c = 0; c < 4; ++c) CHECK(all[c].state == whole[c].state);
}

TEST_CASE("chains of an extended warm-up have one more barrier, and none after it") {
  std::vector<std::vector<unsigned char>> states;
  const auto go_to = [&](int iter, int warmup, bool regroup) {
    Plan plan{iter, warmup, 1, false, regroup};
    std::vector<Run> runs;
    for (int c = 0; c < 4; ++c) {
      runs.emplace_back(Caught(levels[c], c), plan);
      if (!states.empty()) buffet::from_bytes(states[c], runs[c]);
    }
    Chains chains = chains_of(std::move(runs));
    chains.work(2, go_on);
    states.clear();
    const auto all = take_all(chains);
    for (const auto& snapshot : all) states.push_back(snapshot.state);
    return all;
  };
  for (bool before : {false, true}) {
    states.clear();
    go_to(1000, 1000, before);
    const auto extended = go_to(2000, 2000, true);
    // None of the chains that passed the first barrier is far below the others, and all still
    // report from which chain they continued.
    CHECK(begun_from(extended) == std::vector<int>({0, 1, 1, 1}));
    const auto& values = extended[3].trace.scalars();
    REQUIRE(values.size() == 1000);
    CHECK(std::abs(mean(values, 0, 200) - (before ? 0 : levels[3])) < 0.4);
    CHECK(std::abs(mean(values, 200, 1000)) < 0.2);
    const auto drawn = go_to(4000, 2000, true);
    CHECK(drawn[3].trace.records() == 2000);
    CHECK(begun_from(drawn) == begun_from(extended));
  }
}

TEST_CASE("draws are saved from a sweep within the warm-up if the plan says so") {
  Plan part = plan(false);
  part.iter = 1000;
  part.keep_after = 600;
  const auto all = ends(part, 1);
  CHECK(all[0].trace.records() == 1000);
  CHECK(all[0].trace.sizes().size() == 400);
  CHECK(ends(plan(false), 1)[0].trace.sizes().size() == 500);
}
