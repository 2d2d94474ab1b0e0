#include <testthat/vendor/catch.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/archive.h"
#include "meibp_case.h"
#include "point/meibp/meibp_ascent.h"

using buffet::Ascent;
using buffet::from_bytes;
using buffet::Proposals;
using buffet::to_bytes;
using namespace test;

namespace {

constexpr Proposals kinds[] = {Proposals::all, Proposals::births, Proposals::none};

/// Thirty rows and eight columns.
const MeibpCase& ascent_case(bool complete = true) {
  static Rng rng(381);
  static const Eigen::MatrixXd x =
      draw_nonnegative(random_features(30, 3, rng), 8, {0.4, 1.4}, rng);
  static const MeibpCase whole(x), missing(with_missing(x, 0.1, rng));
  return complete ? whole : missing;
}

struct Setting {
  MeibpModel model = meibp_models()[1];
  Proposals kinds = Proposals::all;
  int max_features = 6, start = 6;
  bool complete = true;
};

/// An ascent from random features.
Ascent ascent(const Setting& s, std::uint64_t seed) {
  const MeibpCase& c = ascent_case(s.complete);
  Rng rng(seed);
  State state = random_state(c, s.model, random_features(30, s.start, rng), rng);
  state.plan().max_features = s.max_features;
  return Ascent(std::move(state), Rng(seed, 1), s.kinds, &c.whole);
}

Ascent finished(Ascent ascent) {
  for (int n = 0; !ascent.finished(); ++n) {
    REQUIRE(n < 5000);
    ascent.step(no_check);
  }
  return ascent;
}

void check_trace(const Ascent& ascent) {
  const auto& trace = ascent.trace();
  REQUIRE_FALSE(trace.empty());
  for (std::size_t n = 1; n < trace.size(); ++n) CHECK(trace[n] >= trace[n - 1]);
  CHECK(trace.back() == ascent.result().bound());
}

}  // namespace

TEST_CASE("an ascent ends, its trace never falls, and its result is the last of the trace") {
  for (const auto& model : meibp_models())
    for (Proposals kind : kinds)
      for (bool complete : {true, false}) {
        INFO(model.name);
        Setting s{model, kind, 4, 4, complete};
        const Ascent a = finished(ascent(s, 382));
        check_trace(a);
        CHECK(a.result().z.size() <= 4);
        check_state(a.result(), ascent_case(complete).x);
        State further = a.result();
        Rng rng(383);
        further.iterate(rng, no_check);
        CHECK(further.bound() - a.result().bound() < 2e-6 * std::abs(further.bound()));
      }
}

TEST_CASE("no step lowers the bound until features beyond the maximum are dropped") {
  for (std::uint64_t seed : {384, 385}) {
    Setting s;
    s.max_features = 20;
    Ascent a = ascent(s, seed);
    while (!a.finished()) {
      const double before = a.state().bound();
      a.step(no_check);
      CHECK(a.state().bound() >= before - 1e-8 * std::abs(before));
      check_state(a.state(), ascent_case().x);
    }
  }
}

TEST_CASE("an ascent ends with at most the permitted number of features, whatever the start") {
  for (int most : {1, 2, 3})
    for (int start : {1, 3, 9}) {
      INFO("at most " << most << ", from " << start);
      Setting s;
      s.max_features = most;
      s.start = start;
      Ascent a = ascent(s, 386);
      bool was_allowed = false;
      while (!a.finished()) {
        a.step(no_check);
        was_allowed = was_allowed || a.state().z.size() <= most;
        if (was_allowed) CHECK(a.result().z.size() <= most);
      }
      CHECK(a.result().z.size() <= most);
      check_trace(a);
    }
}

TEST_CASE("proposals raise the bound above what iterations alone can reach") {
  int better = 0;
  for (std::uint64_t seed = 390; seed < 400; ++seed) {
    Setting s;
    s.start = 2;
    s.kinds = Proposals::none;
    const double none = finished(ascent(s, seed)).result().bound();
    s.kinds = Proposals::births;
    const double births = finished(ascent(s, seed)).result().bound();
    s.kinds = Proposals::all;
    const double all = finished(ascent(s, seed)).result().bound();
    CHECK(births >= none - 1e-3);
    better += all > none + 1;
  }
  CHECK(better >= 7);
}

TEST_CASE("an ascent saved after any step and read into another ends as it would have") {
  for (int most : {2, 6})
    for (bool complete : {true, false}) {
      Setting s;
      s.max_features = most;
      s.start = 4;
      s.complete = complete;
      Ascent whole = finished(ascent(s, 401)), on_its_way = ascent(s, 401);
      const auto end = to_bytes(whole);
      for (int n = 0; !on_its_way.finished(); ++n) {
        INFO("left after " << n << " steps");
        const auto bytes = to_bytes(on_its_way);
        Ascent fresh = ascent(s, 402), used = whole;
        from_bytes(bytes, fresh);
        from_bytes(bytes, used);
        CHECK(fresh.done() == n);
        CHECK((to_bytes(fresh) == bytes));
        CHECK((to_bytes(used) == bytes));
        fresh = finished(fresh);
        CHECK((to_bytes(fresh) == end));
        on_its_way.step(no_check);
      }
      CHECK((to_bytes(on_its_way) == end));
    }
}

TEST_CASE("a check that throws ends a step of any kind") {
  Ascent a = ascent(Setting(), 403);
  while (!a.finished()) {
    Ascent copy = a;
    int calls = 0;
    copy.step([&] { ++calls; });
    for (int last : {1, calls}) {
      if (last > calls || last == 0) continue;  // some steps are too short to call the check
      copy = a;
      int called = 0;
      const auto check = [&] {
        if (++called == last) throw std::runtime_error("stop");
      };
      CHECK_THROWS_WITH(copy.step(check), "stop");
      CHECK(called == last);
    }
    a.step(no_check);
  }
}

TEST_CASE("data with an infinite sum of squares do not prevent an ascent from ending") {
  Eigen::MatrixXd x = ascent_case().x;
  x(3, 2) = 1e300;
  const MeibpCase c(x);
  Rng rng(404);
  State state = random_state(c, meibp_models()[1], random_features(30, 2, rng), rng);
  const Ascent a = finished(Ascent(std::move(state), rng, Proposals::all, &c.whole));
  CHECK(a.finished());
}
