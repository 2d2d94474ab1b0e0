#include <testthat/vendor/catch.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "meibp_case.h"

using buffet::RowProblem;
using namespace test;

namespace {

/// The problem of row i as a search of rows poses it.
RowProblem row_problem(State& state, int i, const Eigen::VectorXd& x_mean);

/// Gives row_problem() access to private members, which an explicit instantiation is allowed to
/// name.
template <auto Pose, auto Enter, auto Problem>
struct RowTermsAccess;

template <class Terms, void (Terms::*pose)(int, const Eigen::VectorXd&), void (Terms::*enter)(int),
          RowProblem Terms::*problem>
struct RowTermsAccess<pose, enter, problem> {
  static RowProblem problem_of(State& state, int i, const Eigen::VectorXd& x_mean) {
    Terms terms(state);
    (terms.*enter)(state.data().masks.pattern_of(i));
    (terms.*pose)(i, x_mean);
    return terms.*problem;
  }
  friend RowProblem row_problem(State& state, int i, const Eigen::VectorXd& x_mean) {
    return problem_of(state, i, x_mean);
  }
};

template struct RowTermsAccess<&State::RowTerms::pose, &State::RowTerms::enter_pattern,
                               &State::RowTerms::problem_>;

/// Ten rows and four columns, with or without missing entries, and a state that has singletons.
struct RandomState {
  MeibpCase c;
  State state;

  RandomState(const MeibpModel& model, bool complete, Rng& rng)
      : c(draw(complete, rng)), state(random_state(c, model, random_features(10, 4, rng), rng)) {}

  static Eigen::MatrixXd draw(bool complete, Rng& rng) {
    const Eigen::MatrixXd x = draw_nonnegative(random_features(10, 3, rng), 4, {0.7, 1.3}, rng);
    return complete ? x : hide_some(x, rng);
  }
};

/// Empties a column, as if the other rows had lost the feature.
void empty_column(Features& z, int k) {
  for (int i = 0; i < z.rows(); ++i)
    if (z.at(i, k)) z.flip(i, k);
}

}  // namespace

TEST_CASE("the bound equals its definition in any state") {
  Rng rng(351);
  for (const auto& model : meibp_models())
    for (bool complete : {true, false})
      for (int n = 0; n < 5; ++n) {
        INFO(model.name << (complete ? "" : ", missing entries"));
        RandomState r(model, complete, rng);
        check_state(r.state, r.c.x);
        r.state.iterate(rng, no_check);
        check_state(r.state, r.c.x);
      }
}

TEST_CASE("differences of a row's objective are differences of the whole bound") {
  Rng rng(352);
  for (const auto& model : meibp_models())
    for (bool complete : {true, false})
      for (int n = 0; n < 3; ++n) {
        INFO(model.name << (complete ? "" : ", missing entries"));
        RandomState r(model, complete, rng);
        const int i = rng.below(10);
        if (n == 0) empty_column(r.state.z, 1);
        const NaiveBound bound(r.state, r.c.x);
        const RowProblem p = row_problem(r.state, i, r.c.whole.times(r.state.factor().mean(), i));
        buffet::RowState row(p);
        Eigen::MatrixXd z = dense(r.state.z);
        double constant = 0;
        for (unsigned set = 0; set < 16; ++set) {
          for (int k = 0; k < 4; ++k) z(i, k) = set >> k & 1;
          row.set([&](int k) { return set >> k & 1; });
          const double rest = bound.at(z) - row.value();
          if (set == 0) constant = rest;
          CHECK(rest == Approx(constant).epsilon(1e-10).margin(1e-9));
        }
      }
}

TEST_CASE("a searched row has the features that maximise the whole bound") {
  Rng rng(353);
  int others = 0;
  const auto models = meibp_models();
  for (int n = 0; n < 200; ++n) {
    RandomState r(models[n % models.size()], n % 2, rng);
    const int i = rng.below(10);
    const State before = r.state;
    const NaiveBound bound(before, r.c.x);
    r.state.search_some({i}, rng, no_check);
    Eigen::MatrixXd z = dense(before.z);
    const double found = bound.at(dense(r.state.z));
    double best = found;
    for (unsigned set = 0; set < 16; ++set) {
      for (int k = 0; k < 4; ++k) z(i, k) = set >> k & 1;
      best = std::max(best, bound.at(z));
    }
    others += best > found + 1e-8;
    CHECK((dense(before.z) - dense(r.state.z)).cwiseAbs().sum() ==
          (dense(before.z).row(i) - dense(r.state.z).row(i)).cwiseAbs().sum());
  }
  CHECK(others <= 4);
}

TEST_CASE("the bound never falls, whatever is learned or missing and however rows are searched") {
  Rng rng(354);
  double moved = 0;
  for (const auto& model : meibp_models())
    for (RowRule rule : rules)
      for (int kind = 0; kind < 4; ++kind) {
        const bool complete = kind % 2 == 0, by_rows = kind / 2 == 0;
        INFO(model.name << (complete ? "" : ", missing entries") << (by_rows ? ", by rows" : "")
                        << ", rule " << int(rule));
        RandomState r(model, complete, rng);
        r.state.plan().rule = rule;
        r.state.plan().by_rows = by_rows;
        const double first = r.state.bound();
        for (int n = 0; n < 20; ++n) {
          const double before = r.state.bound();
          r.state.iterate(rng, no_check);
          CHECK(r.state.bound() >= before - 1e-8 * (1 + std::abs(before)));
          for (int k = 0; k < r.state.z.size(); ++k) CHECK(r.state.z.count(k) > 0);
        }
        check_state(r.state, r.c.x);
        moved += r.state.bound() - first;
      }
  CHECK(moved > 100);
}

TEST_CASE("if updated by rows, the loadings change before the next row is searched") {
  Rng rng(360);
  int changed = 0;
  for (const auto& model : meibp_models())
    for (bool complete : {true, false})
      for (int n = 0; n < 3; ++n) {
        INFO(model.name << (complete ? "" : ", missing entries"));
        RandomState r(model, complete, rng);
        State one_by_one = r.state;
        for (int i = 0; i < 10; ++i) {
          const Eigen::MatrixXd before = dense(one_by_one.z);
          one_by_one.search_some({i}, rng, no_check);
          if (dense(one_by_one.z) == before) continue;
          ++changed;
          one_by_one.drop_empty();
          one_by_one.settle({1, 0, 0});
        }
        r.state.plan().by_rows = true;
        r.state.iterate(rng, no_check);
        CHECK(dense(r.state.z) == dense(one_by_one.z));
        CHECK((r.state.factor().mean() - one_by_one.factor().mean()).norm() < 1e-9);
        CHECK(r.state.bound() == Approx(one_by_one.bound()).epsilon(1e-10));
        for (int t = 0; t < 100; ++t) r.state.iterate(rng, no_check);
        const double end = r.state.bound();
        r.state.settle({1000, 0, 1e-12});
        CHECK(r.state.bound() == Approx(end).epsilon(1e-6));
      }
  CHECK(changed > 50);
}

TEST_CASE("more passes over the loadings raise the bound until the factors converge") {
  Rng rng(355);
  for (const auto& model : meibp_models()) {
    INFO(model.name);
    RandomState r(model, false, rng);
    double before = r.state.bound();
    for (int n = 0; n < 3000; ++n) {
      r.state.settle({1, 0, 0});
      CHECK(r.state.bound() >= before - 1e-10 * (1 + std::abs(before)));
      before = r.state.bound();
    }
    r.state.settle({50, 0, 0});
    CHECK(r.state.bound() == Approx(before).epsilon(1e-9));
  }
}

TEST_CASE("iterations do not depend on threads, sparse storage or blocks of rows") {
  Rng rng(356);
  const int rows = 700, columns = 300;  // more rows than the threads process at once
  Eigen::MatrixXd x = draw_nonnegative(random_features(rows, 4, rng), columns, {1.5, 1}, rng);
  for (int i = 0; i < rows; i += 7) x(i, i % 5) = std::nan("");
  const MeibpCase whole(x), sparse(x, true);
  const AscentData ranges(buffet::Source(whole.whole, 320, 0), columns);
  const AscentData sparse_ranges(buffet::Source(sparse.whole, 320, 0), columns);
  const AscentData blocks(in_blocks(x, {320, 320, 60}), columns);
  const Features start = random_features(rows, 6, rng);
  const Eigen::MatrixXd loadings = draw_normal(columns, 6, 1, rng).cwiseAbs();
  for (int kind = 0; kind < 4; ++kind) {
    const MeibpModel model = meibp_models()[kind % 2];
    const bool by_rows = kind / 2 == 1;
    INFO(model.name << (by_rows ? ", by rows" : ""));
    std::vector<State> states;
    for (int threads : {1, 2, 3}) {
      states.push_back(state_of(ranges, model));
      states.back().plan().threads = threads;
    }
    states.push_back(state_of(sparse_ranges, model));
    states.push_back(state_of(blocks, model));
    if (by_rows)
      for (State& s : states) s.plan().by_rows = true;
    for (State& s : states) {
      for (int k = 0; k < 6; ++k) s.add(start.column(k), loadings.col(k));
      s.settle(s.passes());
    }
    for (int n = 0; n < 4; ++n) {
      for (State& s : states) {
        Rng draws(357);
        s.iterate(draws, no_check);
      }
      for (State& s : states) CHECK(s.bound() == Approx(states[0].bound()).epsilon(1e-11));
      for (State& s : states) CHECK(dense(s.z) == dense(states[0].z));
      for (int threads : {1, 2}) CHECK(states[threads].bound() == states[0].bound());
    }
    for (State& s : states) {
      const Eigen::MatrixXd sums = zero_missing(x).transpose() * dense(s.z);
      CHECK((s.factor().sums() - sums).norm() <= 1e-10 * sums.norm());
    }
  }
}

TEST_CASE("known features are assigned to the new rows that they fit, given the old rows' counts") {
  Rng rng(358);
  const Features z = random_features(30, 3, rng);
  const MeibpCase c(draw_nonnegative(z, 12, {0.4, 1.5}, rng));
  const MeibpModel model = meibp_models()[0];
  State known = random_state(c, model, z, rng);
  for (int n = 0; n < 5; ++n) known.settle({50, 0, 0});
  const auto& f = known.factor();
  const std::vector<int> counts{3, 17, 28};
  State placed = state_of(c.data, model);
  placed.place({f.mean(), f.variance(), 1.7, 0.6, counts}, rng, no_check);
  REQUIRE(placed.z.size() == 3);
  for (int i = 0; i < 30; ++i) {
    // The best of all sets, computed from the definition, if there are only old features and they
    // have these odds.
    double best = -INFINITY;
    unsigned at = 0, seen = 0;
    for (unsigned set = 0; set < 8; ++set) {
      Eigen::VectorXd gap = c.x.row(i);
      double value = 0;
      for (int k = 0; k < 3; ++k) {
        if (!(set >> k & 1)) continue;
        gap -= f.mean().col(k);
        value += std::log(counts[k] / (30.0 - counts[k])) - 0.5 * 1.7 * f.variance().col(k).sum();
      }
      value -= 0.5 * 1.7 * gap.squaredNorm();
      if (value > best) {
        best = value;
        at = set;
      }
    }
    for (int k = 0; k < 3; ++k) seen |= static_cast<unsigned>(placed.z.at(i, k)) << k;
    CHECK(seen == at);
  }
  const Eigen::MatrixXd sums = c.x.transpose() * dense(placed.z);
  CHECK((placed.factor().sums() - sums).norm() <= 1e-10 * sums.norm());
}

TEST_CASE("a check that throws ends an iteration") {
  Rng rng(359);
  RandomState r(meibp_models()[0], true, rng);
  int calls = 0;
  const auto check = [&] {
    if (++calls == 2) throw std::runtime_error("stop");
  };
  CHECK_THROWS_WITH(r.state.iterate(rng, check), "stop");
}
