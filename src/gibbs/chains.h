#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "run.h"

namespace buffet {

/// Thrown inside a sweep that shall not be finished.
struct Stopped {};

/// What a chain leaves when it is looked at: its state, empty when it was stopped within a sweep
/// and none was kept, its trace, and why it failed, if it did.
struct Snapshot {
  std::vector<unsigned char> state;
  Trace trace;
  std::string failure;
};

/// Chains on threads. Each thread takes the chain that has waited longest, advances it for a while
/// and puts it back, so that all are equally far whenever they are stopped. A chain that fails
/// drops out alone.
template <class Chain>
class Chains {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Chains(std::vector<Run<Chain>> runs) {
    for (auto& run : runs) members_.emplace_back(std::move(run));
  }

  /// Runs all to their ends. The calling thread asks watch(*this) twenty times a second whether to
  /// go on; what that throws is thrown here, with all threads ended.
  template <class Watch>
  void work(int cores, Watch watch) {
    for (int c = 0; c < size(); ++c) waiting_.push_back(c);
    std::vector<std::thread> threads;
    start_threads(std::min(cores, size()), threads);
    std::exception_ptr failure;
    try {
      for (int tick = 0; running_ > 0; ++tick) {
        std::this_thread::sleep_for(std::chrono::milliseconds(tick < 20 ? 5 : 50));
        if (stopping_) continue;
        if (!watch(*this)) stop();
      }
      watch(*this);
    } catch (...) {
      stop();
      failure = std::current_exception();
    }
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

  int size() const { return static_cast<int>(members_.size()); }
  std::vector<std::string> scalar_names() const {
    return members_.front().run.chain().scalar_names();
  }
  /// Sweeps done by each.
  std::vector<int> done() const {
    std::vector<int> done;
    for (const Member& m : members_) done.push_back(m.done);
    return done;
  }

  /// Asks every chain for a snapshot at its next sweep's end; are those asked for there?
  void ask() {
    for (Member& m : members_) m.asked = true;
  }
  bool answered() const {
    return std::all_of(members_.begin(), members_.end(),
                       [](const Member& m) { return !m.asked || m.ended; });
  }
  /// The last snapshots; of a chain that has ended, its end.
  std::vector<Snapshot> snapshots() {
    std::vector<Snapshot> all;
    for (Member& m : members_) {
      const std::lock_guard<std::mutex> lock(m.mutex);
      all.push_back(m.snapshot);
    }
    return all;
  }

 private:
  struct Member {
    explicit Member(Run<Chain> run_) : run(std::move(run_)), done(run.done()) {}

    Run<Chain> run;
    bool slow = true;
    std::vector<unsigned char> before;  ///< the state before a slow sweep
    std::atomic<int> done;
    std::atomic<bool> asked{false}, ended{false};
    std::mutex mutex;
    Snapshot snapshot;
  };

  void stop() {
    stopped_at_ = Clock::now();
    stopping_ = true;
  }

  void start_threads(int count, std::vector<std::thread>& threads) {
    for (int n = 0; n < count; ++n) {
      ++running_;
      try {
        threads.emplace_back([this] {
          for (int c = take(); c >= 0; c = take())
            if (advance(members_[c])) put_back(c);
          --running_;
        });
      } catch (const std::system_error&) {  // fewer threads than wished for will do, but one
        --running_;
        if (threads.empty()) throw;
      }
    }
  }

  int take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiting_.empty()) return -1;
    const int c = waiting_.front();
    waiting_.pop_front();
    return c;
  }
  void put_back(int c) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(c);
  }

  /// Some sweeps of one chain; is there more to do?
  bool advance(Member& m) {
    try {
      const auto begun = Clock::now();
      while (!m.run.finished() && !stopping_ &&
             Clock::now() - begun < std::chrono::milliseconds(50))
        sweep(m);
      if (!m.run.finished() && !stopping_) return true;
      end(m, to_bytes(m.run), "");
    } catch (const Stopped&) {
      end(m, std::move(m.before), "");
    } catch (const std::exception& e) {
      end(m, {}, e.what());
    }
    return false;
  }

  void sweep(Member& m) {
    if (m.slow)
      m.before = to_bytes(m.run);
    else
      m.before.clear();
    const auto begun = Clock::now();
    m.run.step([this] {
      // A sweep is given a third of a second to end by itself.
      if (stopping_ && Clock::now() - stopped_at_ > std::chrono::milliseconds(300)) throw Stopped();
    });
    m.slow = Clock::now() - begun > std::chrono::milliseconds(20);
    m.done = m.run.done();
    if (m.asked) {
      keep(m, to_bytes(m.run), "");
      m.asked = false;
    }
  }

  void end(Member& m, std::vector<unsigned char> state, std::string failure) {
    keep(m, std::move(state), std::move(failure));
    m.ended = true;
  }

  void keep(Member& m, std::vector<unsigned char> state, std::string failure) {
    const std::lock_guard<std::mutex> lock(m.mutex);
    m.snapshot = {std::move(state), m.run.trace(), std::move(failure)};
  }

  std::deque<Member> members_;
  std::deque<int> waiting_;
  std::mutex mutex_;
  std::atomic<int> running_{0};
  std::atomic<bool> stopping_{false};
  Clock::time_point stopped_at_;
};

}  // namespace buffet
