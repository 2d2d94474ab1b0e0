#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace buffet {

/// Calls f(0), ..., f(count - 1), each once, on as many threads as given, the calling one among
/// them. What one of them throws is thrown here when all have ended. The tasks must not depend on
/// each other; then the result does not depend on the number of threads.
template <class F>
void parallel_for(int count, int threads, F f) {
  std::atomic<int> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (int task = next++; task < count; task = next++) {
      try {
        f(task);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> others;
  try {
    for (int n = 1; n < std::min(threads, count); ++n) others.emplace_back(work);
  } catch (const std::system_error&) {  // fewer threads than wished for will do
  }
  work();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace buffet
