#include <testthat/vendor/catch.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/archive.h"
#include "meibp_case.h"
#include "point/meibp/meibp_moves.h"

using buffet::changed;
using buffet::FeatureMove;
using buffet::Proposer;
using namespace test;

namespace {

/// Data with twelve rows and five columns, and a settled state with four features.
struct MoveCase {
  MeibpCase c;
  State state;

  explicit MoveCase(bool complete, Rng& rng, bool sparse = false)
      : c(draw(complete, rng), sparse),
        state(random_state(c, meibp_models()[1], random_features(12, 4, rng), rng)) {}

  static Eigen::MatrixXd draw(bool complete, Rng& rng) {
    const Eigen::MatrixXd x = draw_nonnegative(random_features(12, 4, rng), 5, {0.5, 1.3}, rng);
    return complete ? x : hide_some(x, rng);
  }
  Eigen::MatrixXd residual() const {
    return zero_missing(c.x - dense(state.z) * state.factor().mean().transpose());
  }
};

/// The columns, regardless of their order.
std::multiset<std::vector<std::uint64_t>> columns_of(const Features& z) {
  std::multiset<std::vector<std::uint64_t>> columns;
  for (int k = 0; k < z.size(); ++k) columns.insert(z.column(k).words());
  return columns;
}

/// Two features with little noise: each is in half of the rows, and an eighth of the rows have
/// both.
Eigen::MatrixXd two_features(Features& z, bool complete, Rng& rng) {
  Eigen::MatrixXd a(2, 6);
  a << 3, 2, 2.5, 0, 0, 0.2, 0, 0.3, 0, 2, 3, 2.5;
  buffet::Bits first(40), second(40);
  for (int i = 0; i < 40; ++i) {
    if (i % 4 < 2) first.set(i);
    if (i % 4 > 1 || i % 8 == 0) second.set(i);
  }
  z.add(first);
  z.add(second);
  Eigen::MatrixXd x = dense(z) * a + draw_normal(40, 6, 0.2, rng);
  return complete ? x : with_missing(x, 0.15, rng);
}

MeibpModel little_noise() {
  return {"", {Hyper::fixed(1)}, {Hyper::fixed(25), Hyper::fixed(0.25)}};
}

}  // namespace

TEST_CASE(
    "after any change, the sums equal X Z, and the features are the kept and the added ones") {
  Rng rng(371);
  for (int n = 0; n < 200; ++n) {
    MoveCase m(n % 2, rng, n % 3 == 0);
    FeatureMove p;
    std::vector<int> order;
    rng.permutation(4, order);
    p.drops.assign(order.begin(), order.begin() + rng.below(4));
    const Features adds = random_features(12, 1 + rng.below(3), rng);
    for (int k = 0; k < adds.size(); ++k) p.adds.push_back(adds.column(k));
    p.loadings = draw_normal(5, adds.size(), 1, rng).cwiseAbs();
    Features expected(12);
    for (int k = 0; k < 4; ++k)
      if (std::count(p.drops.begin(), p.drops.end(), k) == 0) expected.add(m.state.z.column(k));
    for (const auto& column : p.adds) expected.add(column);
    const auto before = buffet::to_bytes(m.state);
    State next = changed(m.state, p, rng, no_check);
    CHECK(columns_of(next.z) == columns_of(expected));
    next.settle({3, 0, 0});
    check_state(next, m.c.x);
    CHECK((buffet::to_bytes(m.state) == before));
  }
}

TEST_CASE("when a feature dies, its rows are searched again, and empty features are also dropped") {
  Rng rng(372);
  int changes = 0;
  for (int n = 0; n < 100; ++n) {
    MoveCase m(n % 2, rng);
    const int k = rng.below(4);
    State next = changed(m.state, Proposer(m.state, m.c.whole).death(k), rng, no_check);
    State expected = m.state;
    expected.drop(k);
    const auto rest = columns_of(expected.z);
    std::vector<int> rows;
    m.state.z.column(k).for_each([&](int i) { rows.push_back(i); });
    expected.search_some(rows, rng, no_check);
    expected.drop_empty();
    CHECK((columns_of(next.z) == columns_of(expected.z)));
    changes += columns_of(next.z) != rest;
    next.settle({20, 0, 0});
    check_state(next, m.c.x);
  }
  CHECK(changes > 30);
}

TEST_CASE("a merge has the rows of both and the mean of their loadings, weighted by their counts") {
  Rng rng(373);
  for (int n = 0; n < 20; ++n) {
    MoveCase m(n % 2, rng);
    const auto& z = m.state.z;
    const FeatureMove p = Proposer(m.state, m.c.whole).merge(2, 0);
    CHECK((p.drops == std::vector<int>{2, 0}));
    REQUIRE(p.adds.size() == 1);
    int either = 0;
    for (int i = 0; i < 12; ++i) {
      CHECK(p.adds[0].at(i) == (z.at(i, 0) || z.at(i, 2)));
      either += z.at(i, 0) || z.at(i, 2);
    }
    const auto& a = m.state.factor().mean();
    const Eigen::VectorXd mean = (z.count(0) * a.col(0) + z.count(2) * a.col(2)) / either;
    CHECK((p.loadings - mean).norm() < 1e-12);
  }
}

TEST_CASE("the loadings of a birth are its rows' residuals, shrunk and nonnegative") {
  Rng rng(374);
  int born = 0;
  for (int n = 0; n < 100; ++n) {
    MoveCase m(n % 2, rng, n % 3 == 0);
    const FeatureMove p = Proposer(m.state, m.c.whole).birth(rng, no_check);
    CHECK(p.drops.empty());
    if (p.adds.empty()) continue;
    ++born;
    const auto& f = m.state.factor();
    const double rho = f.tau_a().mean() / f.tau_x().mean();
    const Eigen::MatrixXd left = m.residual();
    for (int d = 0; d < 5; ++d) {
      double sum = 0, observed = 0;
      for (int i = 0; i < 12; ++i)
        if (p.adds[0].at(i)) {
          sum += left(i, d);
          observed += !std::isnan(m.c.x(i, d));
        }
      CHECK(p.loadings(d, 0) == Approx(std::max(0.0, sum / (observed + rho))).margin(1e-12));
    }
  }
  CHECK(born > 50);
}

TEST_CASE("births find missing features, and splits separate two that are modelled as one") {
  Rng rng(375);
  for (bool complete : {true, false}) {
    Features z(40);
    const MeibpCase c(two_features(z, complete, rng));
    for (int known : {0, 1}) {
      Features one(40);
      one.add(z.column(known));
      const State state = random_state(c, little_noise(), one, rng);
      int found = 0;
      for (int n = 0; n < 10; ++n) {
        const FeatureMove p = Proposer(state, c.whole).birth(rng, no_check);
        if (p.adds.empty()) continue;
        State next = changed(state, p, rng, no_check);
        for (int t = 0; t < 3; ++t) next.iterate(rng, no_check);
        found += columns_of(next.z) == columns_of(z);
      }
      CHECK(found >= 5);
    }
    Features either(40);
    buffet::Bits all = z.column(0);
    all |= z.column(1);
    either.add(all);
    const State state = random_state(c, little_noise(), either, rng);
    const FeatureMove p = Proposer(state, c.whole).split(0);
    REQUIRE(p.adds.size() == 2);
    CHECK(p.loadings.minCoeff() >= 0);
    Features halves(40);
    for (const auto& column : p.adds) halves.add(column);
    CHECK(columns_of(halves) == columns_of(z));
    for (int i = 0; i < 40; ++i) CHECK((p.adds[0].at(i) || p.adds[1].at(i)) == either.at(i, 0));
    State next = changed(state, p, rng, no_check);
    next.settle({3, 0, 0});
    CHECK(next.bound() > state.bound() + 100);
  }
}

TEST_CASE("weights and pairs of features follow their definitions") {
  Rng rng(376);
  for (int n = 0; n < 20; ++n) {
    MoveCase m(n % 2, rng);
    const auto& z = m.state.z;
    const auto& a = m.state.factor().mean();
    const Proposer proposer(m.state, m.c.whole);
    const auto order = proposer.by_weight();
    REQUIRE(order.size() == 4);
    for (int k = 1; k < 4; ++k)
      CHECK(z.count(order[k - 1]) * a.col(order[k - 1]).squaredNorm() <=
            z.count(order[k]) * a.col(order[k]).squaredNorm());
    const Eigen::MatrixXd on = dense(z);
    const auto likeness = [&](int k, int l) {
      const double cosine = a.col(k).normalized().dot(a.col(l).normalized());
      const Eigen::VectorXd p = on.col(k).array() - on.col(k).mean();
      const Eigen::VectorXd q = on.col(l).array() - on.col(l).mean();
      const double norms = p.norm() * q.norm();
      return std::max(cosine, norms > 0 ? p.dot(q) / norms : 0);
    };
    const auto pairs = proposer.likely_pairs();
    CHECK(pairs.size() == 6);
    for (std::size_t at = 1; at < pairs.size(); ++at)
      CHECK(likeness(pairs[at - 1].first, pairs[at - 1].second) >=
            likeness(pairs[at].first, pairs[at].second) - 1e-12);
  }
}

TEST_CASE("a move is unchanged after being written and read") {
  Rng rng(377);
  for (int rows : {1, 64, 130}) {
    const MeibpCase c(draw_normal(rows, 3, 1, rng));
    for (int size : {0, 1, 2}) {
      FeatureMove p{{5, 2}, {}, draw_normal(3, size, 1, rng), -7.5};
      const Features adds = random_features(rows, size, rng);
      for (int k = 0; k < size; ++k) p.adds.push_back(adds.column(k));
      FeatureMove read{{1}, {buffet::Bits(7)}, Eigen::MatrixXd(1, 1), 0};
      buffet::Archive out;
      p.archive(out, c.data);
      const std::vector<unsigned char> bytes = out.take();
      buffet::Archive in(bytes);
      read.archive(in, c.data);
      CHECK(read.drops == p.drops);
      CHECK(read.adds == p.adds);
      CHECK(read.loadings == p.loadings);
      CHECK(read.bound == p.bound);
    }
  }
}
