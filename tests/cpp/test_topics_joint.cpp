#include "topic_joint.h"

using namespace test;

namespace {

void check(const TopicProblem& problem) {
  check_steps_from_prior<TopicSimulation>(problem);
}

}  // namespace

TEST_CASE("focused topics: a sweep leaves the joint law of all variables invariant", "[topics]") {
  for (const Lengths lengths : {Lengths::model, Lengths::given})
    for (const int moves : {0, 2}) check({lengths, moves});
}

TEST_CASE("focused topics: a sweep leaves the joint law invariant with an empty document",
          "[topics]") {
  check({Lengths::given, 1, {4, 0, 7, 2, 0}});
}

TEST_CASE("focused topics: a sweep leaves the joint law invariant with known parameters",
          "[topics]") {
  const Hyper alpha = Hyper::fixed(1.8), gamma = Hyper::fixed(1.6), eta = Hyper::fixed(0.7);
  for (const Lengths lengths : {Lengths::model, Lengths::given}) {
    check({lengths, 1, {3, 6, 1}, false, alpha});
    check({lengths, 1, {3, 6, 1}, false, alpha, gamma, eta});
  }
}

TEST_CASE("focused topics: a sweep leaves the joint law invariant if most topics have one token",
          "[topics]") {
  const Hyper alpha = Hyper::fixed(6), gamma = Hyper::fixed(3);
  for (const Lengths lengths : {Lengths::model, Lengths::given})
    check({lengths, 0, {1, 9, 2}, false, alpha, gamma});
}

TEST_CASE("focused topics: a sweep leaves the joint law invariant with a limit on topics",
          "[topics]") {
  for (const Lengths lengths : {Lengths::model, Lengths::given}) {
    TopicProblem problem{lengths, 1};
    problem.most = 3;
    check(problem);
  }
}

TEST_CASE("focused topics: treating equal exposures as unequal leaves the joint law invariant",
          "[topics]") {
  for (const int moves : {0, 2}) check({Lengths::model, moves, {3, 6, 1, 8}, true});
}
