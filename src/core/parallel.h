#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace buffet {

/// Calls f(0), ..., f(count - 1) once each, on the given number of threads, including the calling
/// one. An exception in a task is rethrown here once all threads have ended. The tasks must not
/// depend on each other; then the result does not depend on the number of threads. While the
/// calling thread waits for the others, it calls `meanwhile` regularly, which may also throw.
template <class F, class G>
void parallel_for(int count, int threads, F f, G meanwhile) {
  std::atomic<int> next{0};
  int busy = 0;
  std::mutex mutex;
  std::condition_variable ended;
  std::exception_ptr failure;
  const auto attempt = [&](auto action) {
    try {
      action();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const auto work = [&] {
    for (int task = next++; task < count; task = next++) attempt([&] { f(task); });
  };
  std::unique_lock<std::mutex> lock(mutex);
  std::vector<std::thread> others;
  try {
    for (int n = 1; n < std::min(threads, count); ++n, ++busy)
      others.emplace_back([&] {
        work();
        const std::lock_guard<std::mutex> own(mutex);
        --busy;
        ended.notify_one();
      });
  } catch (const std::system_error&) {  // fewer threads than requested are enough
  }
  lock.unlock();
  work();
  lock.lock();
  while (!ended.wait_for(lock, std::chrono::milliseconds(20), [&] { return busy == 0; })) {
    lock.unlock();
    attempt(meanwhile);
    lock.lock();
  }
  lock.unlock();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}
template <class F>
void parallel_for(int count, int threads, F f) {
  parallel_for(count, threads, f, [] {});
}

}  // namespace buffet
