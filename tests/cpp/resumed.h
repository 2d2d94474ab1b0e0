#pragma once

#include <testthat/vendor/catch.h>

#include <algorithm>

#include "core/archive.h"
#include "runs.h"

namespace test {

/// Do they hold the same?
template <class T>
bool equal(T& a, T& b) {
  return buffet::to_bytes(a) == buffet::to_bytes(b);
}

/// Reads what one holds into another, which must then hold the same.
template <class T>
void transfer(T& from, T& to) {
  buffet::from_bytes(buffet::to_bytes(from), to);
  CHECK(equal(from, to));
}

/// Left after any number of its sweeps and read into another run, a run ends as it would have.
/// `pair` has one chain and another.
template <class Pair>
void check_resumed(const Pair& pair, bool search) {
  using Run = buffet::Run<decltype(pair.one())>;
  const buffet::Plan plan{44, 38, 1, search};  // search: 3 x 10 sweeps, then 8
  Run whole(pair.one(), plan);
  finish(whole);
  int most = 0;
  for (int size : whole.trace().sizes()) most = std::max(most, size);
  CHECK(most > 0);
  Run run(pair.one(), plan);
  for (int left = 0; left <= plan.iter; ++left) {
    INFO("left after " << left << " sweeps" << (search ? ", the first of them a search" : ""));
    Run resumed(pair.other(), plan);
    transfer(run, resumed);
    CHECK((resumed.done() == left));
    const auto& end = finish(resumed);
    CHECK((run.trace().records() + end.records() == whole.trace().records()));
    CHECK(ends_with(whole.trace(), end));
    CHECK(equal(resumed, whole));
    if (left < plan.iter) advance(run, 1);
  }
}

}  // namespace test
