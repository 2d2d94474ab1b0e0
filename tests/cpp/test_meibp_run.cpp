#include <testthat/vendor/catch.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/archive.h"
#include "meibp_case.h"
#include "point/meibp/meibp_run.h"

using buffet::from_bytes;
using buffet::to_bytes;
using Run = buffet::MeibpRun;
using namespace test;

namespace {

const double unknown = std::nan("");

/// Features, each of which a third of the rows have.
Features thirds(int rows, int size, Rng& rng) {
  Features z(rows);
  for (int k = 0; k < size; ++k) {
    z.add(buffet::Bits(rows));
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(1 / 3.0)) z.flip(i, k);
  }
  return z;
}

const Features& truth(int rows) {
  static Rng rng(411);
  static const Features few = thirds(60, 4, rng), many = thirds(5100, 3, rng);
  return rows == 60 ? few : many;
}

/// Sixty rows, or more rows than are searched at once.
const MeibpCase& run_case(int rows = 60) {
  static Rng rng(412);
  static const MeibpCase few(draw_nonnegative(truth(60), 12, {0.5, 1.5}, rng));
  static const MeibpCase many(
      with_missing(draw_nonnegative(truth(5100), 5, {0.4, 1.5}, rng), 0.01, rng));
  return rows == 60 ? few : many;
}

Run::Model model() {
  return {{Hyper::gamma(1, 1)}, {Hyper::gamma(1, 1), Hyper::gamma(1, 1)}};
}

MeibpPlan plan(int max_features, int threads = 1) {
  MeibpPlan plan;
  plan.max_features = max_features;
  plan.threads = threads;
  return plan;
}

Run begun(const MeibpCase& c, const MeibpPlan& plan, std::uint64_t seed = 1) {
  Run run(c.data, &c.whole, plan, model());
  run.start({Features(c.data.rows()), seed, unknown, unknown}, no_check);
  return run;
}

/// The share of rows that have each feature.
Eigen::VectorXd shares(const State& state) {
  Eigen::VectorXd share(state.z.size());
  for (int k = 0; k < state.z.size(); ++k) share(k) = state.z.count(k) / double(state.z.rows());
  return share;
}

void finish(Run& run) {
  for (int n = 0; !run.finished(); ++n) {
    REQUIRE(n < 5000);
    run.step(no_check);
  }
}

}  // namespace

TEST_CASE("a run ends at most one nat below a run that starts from the true features") {
  const MeibpCase& c = run_case();
  Run told(c.data, &c.whole, plan(8), model());
  told.start({truth(60), 1, unknown, unknown}, no_check);
  finish(told);
  CHECK(told.best().result().z.size() == 4);
  for (std::uint64_t seed : {1, 2, 3}) {
    Run run = begun(c, plan(8), seed);
    finish(run);
    const State& best = run.best().result();
    CHECK(best.bound() > told.best().result().bound() - 1);
    CHECK(best.z.size() <= 8);
    check_state(best, c.x);
    CHECK(run.best().trace().back() == best.bound());
  }
}

TEST_CASE("the precisions start at the given values") {
  const MeibpCase& c = run_case();
  std::vector<double> first;
  for (double sigma : {unknown, 1 / c.data.root_mean_square(), 0.3}) {
    Run run(c.data, &c.whole, plan(8), model());
    run.start({truth(60), 1, sigma * sigma, sigma * sigma}, no_check);
    first.push_back(run.best().state().bound());
  }
  CHECK(first[1] == Approx(first[0]).epsilon(1e-12));
  CHECK(first[2] != Approx(first[0]).epsilon(1e-12));
}

TEST_CASE("runs end bit-identically on one, two and three threads, and depend on the seed") {
  for (int rows : {60, 5100}) {
    std::vector<std::vector<unsigned char>> ends;
    for (int threads : {1, 2, 3}) {
      Run run = begun(run_case(rows), plan(5, threads));
      finish(run);
      ends.push_back(to_bytes(run));
    }
    CHECK((ends[1] == ends[0]));
    CHECK((ends[2] == ends[0]));
  }
  Run other = begun(run_case(), plan(5), 2), first = begun(run_case(), plan(5));
  CHECK((to_bytes(other) != to_bytes(first)));
}

TEST_CASE("a run saved after any step and read into another ends as it would have") {
  for (int rows : {60, 5100}) {
    const MeibpCase& c = run_case(rows);
    Run whole = begun(c, plan(5)), on_its_way = begun(c, plan(5));
    finish(whole);
    const auto end = to_bytes(whole);
    for (int n = 0; !on_its_way.finished(); ++n) {
      INFO(rows << " rows, left after " << n << " steps");
      const auto bytes = to_bytes(on_its_way);
      Run fresh = begun(c, plan(5)), used = begun(c, plan(5));
      from_bytes(end, used);
      for (Run* run : {&fresh, &used}) {
        from_bytes(bytes, *run);
        CHECK(run->done() == on_its_way.done());
        CHECK(run->has_all_rows() == on_its_way.has_all_rows());
        CHECK((to_bytes(*run) == bytes));
      }
      finish(fresh);
      CHECK((to_bytes(fresh) == end));
      on_its_way.step(no_check);
    }
    CHECK((to_bytes(on_its_way) == end));
  }
}

TEST_CASE("with many rows, a run searches a subset and finds the true features") {
  const MeibpCase& c = run_case(5100);
  Run run = begun(c, plan(5));
  CHECK_FALSE(run.has_all_rows());
  CHECK(run.best().result().z.rows() == 2000);
  finish(run);
  CHECK(run.has_all_rows());
  const State& best = run.best().result();
  CHECK(best.z.rows() == 5100);
  CHECK(best.z.size() == 3);
  check_state(best, c.x);
  Run told(c.data, &c.whole, plan(5), model());
  told.start({truth(5100), 1, unknown, unknown}, no_check);
  CHECK(told.has_all_rows());
  finish(told);
  CHECK(best.bound() > told.best().result().bound() - 1);
}

TEST_CASE("a run under a prior with a maximum number of features ends with at most that many") {
  const MeibpCase& c = run_case();
  for (int n_features : {1, 3, 4}) {
    const Run::Model finite{{Hyper::fixed(2), Hyper::fixed(1), 0, n_features},
                            {Hyper::gamma(1, 1), Hyper::gamma(1, 1)}};
    Run run(c.data, &c.whole, plan(20), finite);
    run.start({Features(60), 1, unknown, unknown}, no_check);
    finish(run);
    CHECK(run.best().result().z.size() <= n_features);
    CHECK(std::isfinite(run.best().result().bound()));
    check_state(run.best().result(), c.x);
  }
}

TEST_CASE("a check that throws at any row stops a run on any number of threads") {
  for (int rows : {60, 5100})
    for (int threads : {1, 3})
      for (int last : {1, 50}) {
        Run run = begun(run_case(rows), plan(5, threads));
        std::atomic<int> calls{0};
        const auto check = [&] {
          if (++calls >= last) throw std::runtime_error("stop");
        };
        CHECK_THROWS_WITH(
            [&] {
              while (!run.finished()) run.step(check);
            }(),
            "stop");
      }
}

TEST_CASE("the calling thread keeps calling the check during a long step of another thread") {
  const auto home = std::this_thread::get_id();
  const auto wait_for = [](auto condition) {
    for (int n = 0; n < 500 && !condition(); ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
  };
  std::atomic<int> asked{0};
  std::atomic<bool> waiting{false}, heard{false};
  const auto check = [&] {
    if (std::this_thread::get_id() == home) {
      ++asked;
      wait_for([&] { return waiting.load(); });
    } else if (!waiting.exchange(true)) {
      // By then, the calling thread has finished its steps.
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const int before = asked;
      heard = wait_for([&] { return asked > before; });
    }
  };
  Run run = begun(run_case(), plan(5, 2));
  run.step(check);
  CHECK(heard);
}

TEST_CASE("features are as common in all rows as in the subset in which they were found") {
  Rng rng(413);
  const MeibpCase c(draw_nonnegative(truth(5100), 5, {1, 1.5}, rng));
  Run run = begun(c, plan(5));
  // The last calls come from rows that are searched given the results of the ascents that have
  // ended.
  Eigen::VectorXd before;
  while (!run.has_all_rows()) run.step([&] { before = shares(run.best().result()); });
  const Eigen::VectorXd after = shares(run.best().result());
  REQUIRE(after.size() == before.size());
  REQUIRE(after.size() > 0);
  for (int k = 0; k < after.size(); ++k) {
    INFO("feature " << k);
    const double variance = before(k) * (1 - before(k)) * (1 / 2000.0 - 1 / 5100.0);
    CHECK(std::abs(after(k) - before(k)) <= 4.5 * std::sqrt(variance));
  }
}

TEST_CASE("more starts of MEIBP never give a worse result, and each is different") {
  const MeibpCase& c = run_case();
  const auto best = [&](int restarts, std::uint64_t seed) {
    MeibpPlan often = plan(3);
    often.restarts = restarts;
    Run run = begun(c, often, seed);
    finish(run);
    return run.best().result().bound();
  };
  double gain = 0;
  for (std::uint64_t seed : {1, 2, 3, 4, 7}) {
    const double one = best(1, seed);
    double before = one;
    for (int restarts : {2, 3, 4}) {
      const double bound = best(restarts, seed);
      CHECK(bound >= before);
      before = bound;
    }
    gain += before - one;
  }
  CHECK(gain > 0);
}
