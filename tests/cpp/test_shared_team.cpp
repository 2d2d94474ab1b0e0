#include <testthat/vendor/catch.h>

#include <memory>
#include <vector>

#include "shared/shared_runs.h"
#include "team_case.h"

using buffet::AnyRun;
using buffet::GaussianData;
using buffet::GaussianRows;
using buffet::Source;
using namespace test;

namespace {

struct SharedCase : TeamData {
  Exchangeable::Spec prior;
  bool nonnegative;
  buffet::Plan plan{60, 40};
  buffet::Start from;

  SharedCase(int rows, Rng& rng, bool complete = true, bool sparse_ = false)
      : TeamData(rows, rng, complete, sparse_), nonnegative(rng.bernoulli(0.5)) {
    const PriorCase of = prior_cases()[rng.below(4)];
    prior = {Hyper::gamma(2, 1), of.learns_c ? Hyper::gamma(2, 1.5) : Hyper::fixed(of.parameters.c),
             of.parameters.discount, of.parameters.n_features};
  }
};

/// A worker's rows, and its part of two chains.
class SharedPart {
 public:
  SharedPart(const SharedCase& c, Team& team) : rows_(c, team) {
    const buffet::Precisions precisions{Hyper::gamma(1, 1), Hyper::gamma(1, 1)};
    const auto make =
        (c.nonnegative
             ? buffet::shared_runs<buffet::SharedNonnegative>
             : buffet::shared_runs<buffet::SharedNormal>)(c.prior, rows_.data(), precisions);
    for (int n = 0; n < 2; ++n) runs_.push_back(make(c.from, Rng(5, n), c.plan, no_check));
  }

  /// The states of the chains, and the recorded scalars.
  std::vector<Bytes> after(int sweeps) {
    for (int t = 0; t < sweeps; ++t)
      for (auto& run : runs_)
        if (!run->finished()) run->step(no_check);
    std::vector<Bytes> out;
    for (auto& run : runs_) {
      out.push_back(to_bytes(*run));
      auto scalars = run->trace().scalars();
      out.emplace_back(reinterpret_cast<unsigned char*>(scalars.data()),
                       reinterpret_cast<unsigned char*>(scalars.data() + scalars.size()));
    }
    return out;
  }
  void put(const std::vector<Bytes>& left) {
    for (int n = 0; n < 2; ++n) from_bytes(left[2 * n], *runs_[n]);
  }
  void meet() { runs_[0]->meet(*runs_[1], 1); }

 private:
  TeamRows<GaussianRows> rows_;
  std::vector<std::unique_ptr<AnyRun>> runs_;
};

std::vector<SharedCase> cases(Rng& rng) {
  std::vector<SharedCase> all;
  all.emplace_back(300, rng);
  all.emplace_back(450, rng, false);
  all.emplace_back(460, rng, false, true);
  all.emplace_back(330, rng);
  all.back().from.features = random_features(330, 3, rng);
  all.back().plan.search = false;
  all.emplace_back(2100, rng, false);  // starts are searched on some of the rows
  for (int n = 0; n < (full() ? 4 : 2); ++n) {
    all.emplace_back(200, rng);
    all.back().nonnegative = n % 2 == 0;
  }
  return all;
}

}  // namespace

TEST_CASE("chains in a cluster of any size equal those in one process, bit for bit") {
  Rng rng(5201);
  for (const SharedCase& c : cases(rng)) {
    const auto whole = [&](Team& team) { return SharedPart(c, team).after(60); };
    const auto alone = whole(buffet::Solo::instance());
    for (int size : team_sizes())
      for (const auto& end : in_team(size, whole)) CHECK((end == alone));
  }
}

TEST_CASE("saved chains of a cluster continue in another cluster or in one process") {
  Rng rng(5202);
  auto& solo = buffet::Solo::instance();
  for (const SharedCase& c : cases(rng)) {
    const auto end = SharedPart(c, solo).after(60);
    const auto states = [](const std::vector<Bytes>& of) {
      return std::vector<Bytes>{of[0], of[2]};
    };
    const auto ended = [&](Team& team, const std::vector<Bytes>& from) {
      SharedPart part(c, team);
      part.put(from);
      return states(part.after(60));
    };
    for (int sweeps : {15, 50}) {
      if (!full() && (sweeps == 15) == c.nonnegative) continue;
      const auto left = [&](Team& team) { return SharedPart(c, team).after(sweeps); };
      const auto by_team = in_team(3, left)[1], alone = left(solo);
      CHECK((ended(solo, by_team) == states(end)));
      CHECK((in_team(2, [&](Team& team) { return ended(team, alone); })[1] == states(end)));
      if (full())
        CHECK((in_team(7, [&](Team& team) { return ended(team, by_team); })[6] == states(end)));
    }
  }
}

TEST_CASE("a barrier in a cluster has the same effect as in one process") {
  Rng rng(5203);
  for (const SharedCase& c : cases(rng)) {
    const auto met = [&](Team& team) {
      SharedPart part(c, team);
      part.after(45);
      part.meet();
      return part.after(10);
    };
    const auto alone = met(buffet::Solo::instance());
    CHECK((alone[0] != alone[2]));
    for (const auto& end : in_team(3, met)) CHECK((end == alone));
  }
}
