#include <testthat/vendor/catch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/parallel.h"

using buffet::parallel_for;

TEST_CASE("every task is done once on any number of threads") {
  for (int threads : {-1, 0, 1, 2, 3, 8})
    for (int count : {0, 1, 2, 3, 7, 500}) {
      INFO(count << " tasks, " << threads << " threads");
      std::vector<std::atomic<int>> done(count);
      parallel_for(count, threads, [&](int task) { ++done[task]; });
      for (int task = 0; task < count; ++task) CHECK(done[task] == 1);
    }
}

TEST_CASE("there are as many threads as requested, but no more than tasks") {
  for (int threads : {1, 2, 3})
    for (int count : {2, 5}) {
      std::mutex mutex;
      std::condition_variable all_here;
      std::set<std::thread::id> seen;
      const std::size_t expected = std::min(threads, count);
      parallel_for(count, threads, [&](int) {
        std::unique_lock<std::mutex> lock(mutex);
        seen.insert(std::this_thread::get_id());
        all_here.notify_all();
        // No thread continues until every thread has a task.
        all_here.wait_for(lock, std::chrono::seconds(20), [&] { return seen.size() >= expected; });
      });
      CHECK(seen.size() == expected);
      CHECK(seen.count(std::this_thread::get_id()) == 1);
    }
}

TEST_CASE("an exception in a task is rethrown when all tasks have ended, and ends the work") {
  for (int threads : {1, 2, 4}) {
    std::atomic<int> begun{0}, ended{0};
    const auto task = [&](int n) {
      ++begun;
      if (n == 3) {
        ++ended;
        throw std::runtime_error("task 3");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++ended;
    };
    CHECK_THROWS_WITH(parallel_for(1000, threads, task), "task 3");
    CHECK(begun == ended);
    CHECK(begun < 1000);
    int after = 0;
    parallel_for(3, 1, [&](int) { ++after; });
    CHECK(after == 3);
  }
}

TEST_CASE("one of several exceptions is rethrown") {
  CHECK_THROWS_AS(parallel_for(8, 4, [](int) { throw std::logic_error("all"); }), std::logic_error);
}

TEST_CASE("the calling thread calls a function while it waits for others") {
  const auto home = std::this_thread::get_id();
  std::atomic<bool> called{false};
  bool seen = false;
  const auto wait_elsewhere = [&](int) {
    if (std::this_thread::get_id() == home) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the other thread has it
      return;
    }
    for (int n = 0; n < 1000 && !called; ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    seen = called;
  };
  parallel_for(2, 2, wait_elsewhere, [&] { called = std::this_thread::get_id() == home; });
  CHECK(seen);
  called = seen = false;
  const auto fail = [&] {
    called = true;
    throw std::runtime_error("meanwhile");
  };
  CHECK_THROWS_WITH(parallel_for(2, 2, wait_elsewhere, fail), "meanwhile");
  CHECK(seen);
}
