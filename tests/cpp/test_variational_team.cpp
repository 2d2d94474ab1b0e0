#include <testthat/vendor/catch.h>

#include <memory>

#include "team_case.h"
#include "variational_case.h"

using namespace test;

namespace {

/// A run of mean-field inference whose rows are divided among workers.
template <class State>
struct SoftCase : TeamData {
  using Run = buffet::VariationalRun<State>;

  bool learned;
  buffet::VariationalPlan plan;

  SoftCase(int rows, Rng& rng, bool complete = true, bool sparse = false)
      : TeamData(rows, rng, complete, sparse), learned(rng.bernoulli(0.5)) {
    plan.max_features = 5;
    plan.tol = 1e-3;
  }

  auto maker() const {
    return [this](const AscentData& data, const buffet::GaussianData*) {
      return std::make_unique<Run>(data, plan, model_of<State>(learned, 5));
    };
  }
};

template <class State, class F>
void for_cases(Rng& rng, F f) {
  f(SoftCase<State>(450, rng));
  f(SoftCase<State>(470, rng, false));
  f(SoftCase<State>(460, rng, false, true));
  SoftCase<State> known(480, rng, false);
  known.start = random_features(480, 3, rng);
  f(known);
}

}  // namespace

TEST_CASE("mean-field inference in a cluster of any size gives the same result as one process") {
  Rng rng(5201);
  for_all_states([&](auto* kind) {
    using State = StateOf<decltype(kind)>;
    for_cases<State>(
        rng, [](const auto& c) { check_team<typename SoftCase<State>::Run>(c, c.maker()); });
  });
}

TEST_CASE("mean-field inference saved in a cluster is continued elsewhere with the same result") {
  Rng rng(5202);
  for_cases<SticksNonnegative>(rng, [](const auto& c) {
    check_resumed_team<SoftCase<SticksNonnegative>::Run>(c, c.maker(), {3, 130});
  });
}
