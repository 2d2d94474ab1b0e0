#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "trace.h"
#include "warmup.h"

namespace buffet {

struct Plan {
  int iter = 2000, warmup = 1000, thin = 1;
  bool search = true;  ///< begin the warm-up with the search of warmup.h
};

/// One chain. `report` takes the number of sweeps done and answers whether to go on.
template <class Chain, class Report>
void run(Chain& chain, const Plan& plan, Trace& trace, Report report) {
  int done = 0;
  if (plan.search) done = search(chain, SearchPlan::within(plan.warmup), report);
  if (done < 0) return;
  while (done < plan.iter) {
    chain.sweep();
    ++done;
    if (done % plan.thin == 0) trace.record(chain, done > plan.warmup);
    if (!report(done)) return;
  }
}

/// Runs work(c, report) for chains c = 0, ..., chains - 1 on `cores` threads, while the calling
/// thread asks watch(sweeps done by each chain) ten times a second whether to go on. The first
/// exception of a chain, or of watch, ends all and is thrown here.
template <class Work, class Watch>
void run_chains(int chains, int cores, Work work, Watch watch) {
  std::vector<std::atomic<int>> done(chains);
  for (auto& d : done) d = 0;
  std::atomic<int> next{0}, running{0};
  std::atomic<bool> stop{false};
  std::exception_ptr failure;
  std::mutex failing;
  const auto fail = [&] {
    const std::lock_guard<std::mutex> lock(failing);
    if (!failure) failure = std::current_exception();
    stop = true;
  };
  const auto worker = [&] {
    try {
      for (int c = next++; c < chains && !stop; c = next++)
        work(c, [&done, &stop, c](int sweeps) {
          done[c] = sweeps;
          return !stop;
        });
    } catch (...) {
      fail();
    }
    --running;
  };
  std::vector<std::thread> threads;
  for (int n = 0; n < std::min(cores, chains); ++n) {
    ++running;
    try {
      threads.emplace_back(worker);
    } catch (const std::system_error&) {  // fewer threads than wished for will do, but one
      --running;
      if (threads.empty()) throw;
    }
  }
  const auto progress = [&] { return std::vector<int>(done.begin(), done.end()); };
  try {
    for (int tick = 0; running > 0; ++tick) {
      std::this_thread::sleep_for(std::chrono::milliseconds(tick < 20 ? 5 : 50));
      if (!stop && !watch(progress())) stop = true;
    }
    watch(progress());
  } catch (...) {
    fail();
  }
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace buffet
