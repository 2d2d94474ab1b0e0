#include <testthat/vendor/catch.h>

#include <memory>
#include <vector>

#include "point/meibp/meibp_run.h"
#include "team_case.h"

using buffet::GaussianData;
using buffet::MeibpRun;
using buffet::Source;
using namespace test;

namespace {

struct TeamCase : TeamData {
  MeibpModel model;
  MeibpPlan plan;

  TeamCase(int rows, Rng& rng, bool complete = true, bool sparse = false)
      : TeamData(rows, rng, complete, sparse),
        model(meibp_models()[rng.below(static_cast<int>(meibp_models().size()))]) {
    plan.max_features = 6;
  }

  auto maker() const {
    return [this](const AscentData& data, const GaussianData* whole) {
      const MeibpRun::Model parts{model.prior, model.precisions};
      return std::make_unique<MeibpRun>(data, whole, plan, parts);
    };
  }
};

/// Each row has only one feature, and rows are sorted by it. The start has one feature that all
/// rows have, so a worker may have no row of one half when this feature is split.
TeamCase one_of_two(Rng& rng) {
  TeamCase c(450, rng);
  buffet::Bits second(450);
  for (int i = 225; i < 450; ++i) second.set(i);
  Features z(450);
  z.add(complement(second, 450));
  z.add(second);
  Eigen::MatrixXd a(2, 5);
  a << 3, 2, 0, 0, 1, 0, 0, 2, 3, 0;
  c.x = dense(z) * a + draw_normal(450, 5, 0.3, rng);
  c.start.add(complement(buffet::Bits(450), 450));
  return c;
}

std::vector<TeamCase> cases(Rng& rng) {
  std::vector<TeamCase> all;
  all.emplace_back(500, rng);
  all.emplace_back(450, rng, false);
  all.emplace_back(460, rng, false, true);
  all.emplace_back(470, rng);
  all.back().start = random_features(470, 3, rng);
  all.emplace_back(480, rng);
  all.back().plan.rule = RowRule::double_greedy;
  all.emplace_back(5100, rng, false);  // starts are searched on some of the rows
  all.push_back(one_of_two(rng));
  return all;
}

}  // namespace

TEST_CASE("a cluster of any size gives the same result as one process, bit for bit") {
  Rng rng(5101);
  for (const TeamCase& c : cases(rng)) check_team<MeibpRun>(c, c.maker());
}

TEST_CASE("the state of a cluster is continued by another cluster of any size, or by one process") {
  Rng rng(5102);
  for (const TeamCase& c : cases(rng)) check_resumed_team<MeibpRun>(c, c.maker(), {6, 30});
}

TEST_CASE("states in a cluster match their definitions, and their bound never falls") {
  Rng rng(5103);
  for (int n = 0; n < 60; ++n) {
    const int rows = 5 + rng.below(10), block = 1 + rng.below(3);
    const Eigen::MatrixXd data = draw_nonnegative(random_features(rows, 3, rng), 4, {0.7, 1}, rng);
    const MeibpCase c(n % 2 ? data : hide_some(data, rng), n % 3 == 0);
    const AscentData in_blocks(Source(c.whole, block, 0), c.data.columns);
    State state = state_of(in_blocks, meibp_models()[n % meibp_models().size()]);
    const Features z = random_features(rows, 1 + rng.below(4), rng);
    for (int k = 0; k < z.size(); ++k)
      state.add(z.column(k), draw_normal(c.data.columns, 1, 1, rng).cwiseAbs());
    state.settle({2, 0, 0});
    for (int t = 0; t < 8; ++t) {
      const double before = state.bound();
      state.iterate(rng, no_check);
      CHECK(state.bound() >= before - 1e-9 * std::abs(before));
      check_state(state, c.x);
      for (int k = 0; k < state.z.size(); ++k) CHECK(state.z.count(k) == state.z.column(k).count());
    }
  }
}

TEST_CASE("columns in a cluster have the same missing rows only if they do in every part") {
  Rng rng(5104);
  for (int n = 0; n < 40; ++n) {
    const int rows = 3 + rng.below(9);
    const Eigen::MatrixXd x = hide_some(draw_normal(rows, 5, 1, rng), rng);
    const MeibpCase whole(x);
    const int cut = 1 + rng.below(rows - 1);
    struct Part {
      int rows, first_row;
      double observed;
      std::vector<std::vector<int>> groups;
    };
    const auto parts = in_team(2, [&](Team& team) {
      const bool first = team.index() == 0;
      const GaussianData own = rows_of(x, first ? 0 : cut, first ? cut : rows - cut);
      const AscentData data(Source(own), 5, team);
      Part part{data.rows(), data.first_row(), double(data.observed()), {}};
      for (const auto& group : data.masks.groups()) part.groups.push_back(group.columns);
      return part;
    });
    std::vector<std::vector<int>> expected;
    for (const auto& group : whole.data.masks.groups()) expected.push_back(group.columns);
    for (const Part& part : parts) {
      CHECK(part.rows == rows);
      CHECK(part.first_row == (&part == &parts[0] ? 0 : cut));
      CHECK(part.observed == double(whole.data.observed()));
      CHECK((part.groups == expected));
    }
  }
}
