#pragma once

#include <testthat/vendor/catch.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "core/archive.h"
#include "runs.h"

namespace test {

/// True if the two objects have the same contents.
template <class T>
bool equal(T& a, T& b) {
  return buffet::to_bytes(a) == buffet::to_bytes(b);
}

/// Reads the state of one object into another, which must then be equal.
template <class T>
void transfer(T& from, T& to) {
  buffet::from_bytes(buffet::to_bytes(from), to);
  CHECK(equal(from, to));
}

/// Checks that a run that is stopped after any number of sweeps and read into another run ends as
/// it would have without the stop. make(false) returns the run; make(true) returns another run,
/// which reads its state.
inline void check_left_anywhere(const std::function<std::unique_ptr<buffet::AnyRun>(bool)>& make,
                                int sweeps) {
  const auto whole = make(false), run = make(false);
  finish(*whole);
  const auto& sizes = whole->trace().sizes();
  CHECK(std::any_of(sizes.begin(), sizes.end(), [](int size) { return size > 0; }));
  for (int left = 0; left <= sweeps; ++left) {
    INFO("left after " << left << " sweeps");
    const auto resumed = make(true);
    transfer(*run, *resumed);
    CHECK(resumed->done() == left);
    const auto& end = finish(*resumed);
    CHECK(run->trace().records() + end.records() == whole->trace().records());
    CHECK(ends_with(whole->trace(), end));
    CHECK(equal(*resumed, *whole));
    CHECK(same(resumed->tallies(), whole->tallies()));
    if (left < sweeps) advance(*run, 1);
  }
}

/// `pair` has two chains; the state of one is read into the other.
template <class Pair>
void check_resumed(const Pair& pair, bool search) {
  INFO((search ? "with" : "without") << " a search");
  const buffet::Plan plan{44, 38, 1, search};  // search: 3 starts of 10 sweeps, then 8 sweeps
  check_left_anywhere([&](bool other) { return run_of(other ? pair.other() : pair.one(), plan); },
                      plan.iter);
}

}  // namespace test
