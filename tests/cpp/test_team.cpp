#include <testthat/vendor/catch.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "draws.h"
#include "team.h"

using buffet::Solo;
using buffet::TreeSum;
using namespace test;

namespace {

std::vector<Eigen::VectorXd> random_terms(int count, Rng& rng) {
  std::vector<Eigen::VectorXd> terms;
  for (int n = 0; n < count; ++n)
    terms.push_back(std::exp(8 * rng.normal()) * draw_normal(3, 1, 1, rng));
  return terms;
}

TreeSum sum_of(const std::vector<Eigen::VectorXd>& terms, int from, int to) {
  TreeSum sum;
  for (int b = from; b < to; ++b) sum.add(b, terms[b]);
  return sum;
}

}  // namespace

TEST_CASE("a sum over blocks does not depend on which worker has which, bit for bit") {
  Rng rng(5001);
  bool rounding = false;
  for (int n = 0; n < 300; ++n) {
    const int blocks = 1 + rng.below(40);
    const auto terms = random_terms(blocks, rng);
    const Eigen::VectorXd whole = sum_of(terms, 0, blocks).total();
    Eigen::VectorXd in_order = Eigen::VectorXd::Zero(3), size = in_order;
    for (const auto& term : terms) {
      in_order += term;
      size += term.cwiseAbs();
    }
    CHECK(((whole - in_order).cwiseAbs().array() <= 1e-14 * size.array()).all());
    rounding = rounding || whole != in_order;
    TreeSum parts;
    for (int from = 0; from < blocks;) {
      const int to = std::min(blocks, from + 1 + rng.below(blocks));
      parts.add(through_bytes(sum_of(terms, from, to)));
      from = to;
    }
    CHECK(parts.total() == whole);
  }
  CHECK(rounding);  // without rounding, the test would show nothing
}

TEST_CASE("workers get the sum of all contributions, and all contributions in their order") {
  Rng rng(5002);
  const int blocks = 11;
  const auto terms = random_terms(blocks, rng);
  const Eigen::VectorXd whole = sum_of(terms, 0, blocks).total();
  for (int size : {1, 2, 3, 7, 11}) {
    const std::vector<int> first = first_blocks(blocks, size);
    const auto results = in_team(size, [&](Team& team) {
      const int m = team.index();
      const Eigen::VectorXd sum = team.sum(sum_of(terms, first[m], first[m + 1]));
      const Eigen::VectorXd all = team.gather(Eigen::VectorXd::Constant(m % 3, m));
      const Eigen::VectorXd count = team.sum_exactly(Eigen::VectorXd::Constant(1, m + 1));
      return std::vector<Eigen::VectorXd>{sum, all, count};
    });
    std::vector<double> expected;
    for (int m = 0; m < size; ++m) expected.insert(expected.end(), m % 3, m);
    for (const auto& r : results) {
      CHECK(r[0] == whole);
      REQUIRE(r[1].size() == static_cast<Eigen::Index>(expected.size()));
      for (std::size_t n = 0; n < expected.size(); ++n) CHECK(r[1](n) == expected[n]);
      CHECK(r[2](0) == size * (size + 1) / 2.0);
    }
  }
}

TEST_CASE("a single process replies to itself") {
  Rng rng(5003);
  const auto terms = random_terms(5, rng);
  CHECK(Solo::instance().sum(sum_of(terms, 0, 5)) == sum_of(terms, 0, 5).total());
  CHECK(Solo::instance().gather(terms[0]) == terms[0]);
  CHECK(Solo::instance().sum_exactly(terms[1]) == terms[1]);
}

TEST_CASE("all workers get the bytes of one worker") {
  for (std::size_t size : {0, 1, 8, 13}) {
    const auto results = in_team(3, [&](Team& team) {
      std::vector<unsigned char> own(size + team.index(), static_cast<unsigned char>(255));
      if (!own.empty()) own.back() = static_cast<unsigned char>(team.index());
      return bytes_of_member(team, 1, own);
    });
    std::vector<unsigned char> expected(size + 1, 255);
    expected.back() = 1;
    for (const auto& r : results) CHECK((r == expected));
  }
}

TEST_CASE("matrices summed together have the same sums as one by one") {
  Rng rng(5004);
  const std::vector<Eigen::MatrixXd> own{draw_normal(2, 3, 1, rng), draw_normal(4, 1, 1, rng),
                                         Eigen::MatrixXd(0, 2)};
  const auto results = in_team(2, [&](Team& team) { return sum_exactly(team, own); });
  for (const auto& r : results) {
    REQUIRE(r.size() == 3);
    CHECK(r[0] == 2 * own[0]);
    CHECK(r[1] == 2 * own[1]);
    CHECK(r[2].cols() == 2);
  }
}

TEST_CASE("a worker that is at a different point than the first is detected") {
  std::vector<Request> requests(2);
  requests[0].mark = requests[1].mark = Eigen::VectorXd::Constant(1, NAN);
  CHECK_NOTHROW(reply_to(requests));
  requests[1].mark(0) = 1;
  CHECK_THROWS_WITH(reply_to(requests), Catch::Contains("disagree"));
  requests[1] = requests[0];
  requests[1].kind = Request::sum;
  CHECK_THROWS(reply_to(requests));
}

TEST_CASE("all workers are asked at the same point to save their states and to stop") {
  for (int size : {1, 3}) {
    int asked = 0;
    const auto program = [](RemoteTeam& team) {
      std::vector<int> saved;
      int n = 0;
      while (!team.stops()) {
        if (n % 2 == 0) team.sum_exactly(Eigen::VectorXd::Constant(1, 1));
        team.report(Eigen::VectorXd::Constant(1, n++));
        if (!team.saves()) continue;
        saved.push_back(n);
        team.save();
      }
      saved.push_back(-n);
      return saved;
    };
    const auto results = in_team(size, program, [&](Reply& reply) {
      ++asked;
      reply.save = asked == 4 || asked == 7;
      reply.stop = asked == 11;
    });
    // Two of the replies answer requests to fetch saved states.
    for (const auto& r : results) CHECK((r == std::vector<int>{4, 6, -9}));
  }
}

TEST_CASE("an exception in a program is rethrown where it is awaited; a cancelled program ends") {
  RemoteTeam failing(1, 0);
  failing.begin([] { throw std::runtime_error("no more"); });
  CHECK_THROWS_WITH(failing.next(), "no more");

  bool ended = false;
  {
    struct Guard {
      bool& ended;
      ~Guard() { ended = true; }
    };
    RemoteTeam cancelled(1, 0);
    cancelled.begin([&] {
      const Guard guard{ended};
      for (;;) cancelled.sum_exactly(Eigen::VectorXd::Constant(1, 1));
    });
    cancelled.next();
  }
  CHECK(ended);
}
