#include <testthat/vendor/catch.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/archive.h"
#include "nmf/icm.h"
#include "nmf_case.h"

using buffet::from_bytes;
using buffet::IcmPlan;
using buffet::IcmRun;
using buffet::to_bytes;
using namespace test;

namespace {

const auto no_check = [] {};

/// Rows are in several blocks, and some entries are missing.
const Eigen::MatrixXd& values() {
  static Rng rng(511);
  static const Eigen::MatrixXd x =
      with_missing(draw_data(draw_factors(nmf_model(3), 600, 8, rng), rng), 0.1, rng);
  return x;
}
const NmfData& data() {
  static const NmfData data = nmf_data(values());
  return data;
}

IcmRun begun(const IcmPlan& plan, const buffet::NmfStart& start = {}, std::uint64_t seed = 1) {
  return IcmRun(Nmf(data(), nmf_model(3)), plan, start, seed);
}

IcmRun finished(IcmRun run) {
  for (int n = 0; !run.finished(); ++n) {
    REQUIRE(n < 50000);
    run.step(no_check);
  }
  return run;
}

std::vector<unsigned char> end_of(IcmRun run) {
  run = finished(std::move(run));
  return to_bytes(run);
}

}  // namespace

TEST_CASE("a run ends when the relative change is below the tolerance or after enough iterations") {
  std::size_t before = 2;
  for (double tol : {1e-3, 1e-6, 1e-9}) {
    const IcmRun run = finished(begun({tol, 10000, 1, 1}));
    const auto& trace = run.best().trace;
    REQUIRE(trace.size() > before);
    before = trace.size();
    for (std::size_t n = 1; n < trace.size(); ++n) CHECK(trace[n] >= trace[n - 1]);
    // The change is relative to the log likelihood of the data, which are in units of their root
    // mean square.
    double squares = 0, count = 0;
    for (Eigen::Index n = 0; n < values().size(); ++n) {
      const double x = values().data()[n];
      if (std::isnan(x)) continue;
      squares += x * x;
      ++count;
    }
    const double size =
        std::abs(run.best().state.log_lik() + 0.5 * count * std::log(squares / count));
    CHECK(trace.back() - trace[trace.size() - 2] <= tol * size);
    CHECK(run.best().converged);
    CHECK(trace.back() == run.best().state.log_joint());
    CHECK(run.done() == static_cast<int>(trace.size()));
    const NaiveNmf naive(values(), factors_of(run.best().state), nmf_model(3));
    CHECK(trace.back() == Approx(static_cast<double>(naive.log_joint)).epsilon(1e-8));
  }
  const IcmRun short_run = finished(begun({1e-9, 4, 1, 1}));
  CHECK(short_run.best().trace.size() == 4);
  CHECK_FALSE(short_run.best().converged);
}

TEST_CASE("factorisations end bit-identically on any number of threads, and depend on the seed") {
  const auto one = end_of(begun({1e-6, 50, 2, 1}));
  for (int threads : {2, 3, 100}) CHECK((end_of(begun({1e-6, 50, 2, threads})) == one));
  CHECK((end_of(begun({1e-6, 50, 2, 1}, {}, 2)) != one));
}

TEST_CASE("more restarts never give a worse result, and each has a different start") {
  double before = -INFINITY;
  std::vector<int> done;
  for (int restarts : {1, 2, 5}) {
    const IcmRun run = finished(begun({1e-6, 500, restarts, 1}));
    CHECK(run.best().objective() >= before);
    before = run.best().objective();
    done.push_back(run.done());
  }
  CHECK(done[0] < done[1]);
  CHECK(done[1] < done[2]);
  const auto gain = [](std::uint64_t seed) {
    const IcmRun one = finished(begun({1e-6, 1, 1, 1}, {}, seed));
    const IcmRun many = finished(begun({1e-6, 1, 10, 1}, {}, seed));
    return many.best().objective() - one.best().objective();
  };
  CHECK(gain(1) + gain(2) + gain(3) + gain(4) > 0);
}

TEST_CASE("the best of several results is kept, whatever their order") {
  double best = -INFINITY;
  for (int restarts = 1; restarts <= 4; ++restarts) {
    IcmRun run = begun({1e-6, 5, restarts, 1});
    while (!run.finished()) {
      const double seen = run.best().objective();
      run.step(no_check);
      CHECK(run.best().objective() >= seen);
    }
    best = std::max(best, run.best().objective());
    CHECK(run.best().objective() == best);
  }
}

TEST_CASE("a run from given factors has one start") {
  Rng rng(512);
  const Factors f = draw_factors(nmf_model(3), 600, 8, rng);
  const IcmRun run = finished(begun({1e-6, 20, 5, 1}, {f.w, f.a}));
  CHECK(run.done() == static_cast<int>(run.best().trace.size()));
  const IcmRun some = finished(begun({1e-6, 20, 3, 1}, {f.w, {}}));
  CHECK(some.done() > static_cast<int>(some.best().trace.size()));
}

TEST_CASE("a factorisation saved and restored after any iteration gives the same result") {
  const IcmPlan plan{1e-6, 12, 3, 1};
  const auto whole = end_of(begun(plan));
  IcmRun run = begun(plan);
  while (!run.finished()) {
    const auto bytes = to_bytes(run);
    IcmRun fresh = begun(plan), used = finished(begun(plan));
    for (IcmRun* other : {&fresh, &used}) {
      from_bytes(bytes, *other);
      CHECK((to_bytes(*other) == bytes));
      CHECK(other->done() == run.done());
      CHECK(other->best().objective() == run.best().objective());
      CHECK((end_of(std::move(*other)) == whole));
    }
    run.step(no_check);
  }
  CHECK((to_bytes(run) == whole));
}

TEST_CASE("an iteration interrupted by a check is undone") {
  for (int threads : {1, 2})
    for (int last : {1, 2, 4}) {
      IcmRun run = begun({1e-9, 50, 1, threads});
      for (int n = 0; n < 3; ++n) run.step(no_check);
      const auto before = to_bytes(run);
      std::atomic<int> calls{0};
      const auto check = [&] {
        if (++calls >= last) throw std::runtime_error("stop");
      };
      CHECK_THROWS_WITH(run.step(check), "stop");
      CHECK((to_bytes(run) == before));
      IcmRun whole = begun({1e-9, 50, 1, 1});
      CHECK((end_of(std::move(run)) == end_of(std::move(whole))));
    }
}

TEST_CASE("sparse data give the same result as dense data") {
  Eigen::MatrixXd x = values();
  for (int n = 0; n < x.size(); ++n)
    if (x(n) < 0.5) x(n) = 0;
  const NmfData dense = nmf_data(x), sparse = nmf_data(x, true);
  const IcmPlan plan{1e-6, 30, 1, 1};
  const IcmRun one = finished(IcmRun(Nmf(dense, nmf_model(3)), plan, {}, 1));
  const IcmRun two = finished(IcmRun(Nmf(sparse, nmf_model(3)), plan, {}, 1));
  CHECK(two.best().objective() == Approx(one.best().objective()).epsilon(1e-9));
  CHECK((two.best().state.w() - one.best().state.w()).norm() < 1e-6);
}
