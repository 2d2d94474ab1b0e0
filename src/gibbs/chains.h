#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "any_run.h"

namespace buffet {

/// Thrown inside a sweep that shall not be finished.
struct Stopped {};

/// What a chain leaves when it is looked at: its state, empty when it was stopped within a sweep
/// and none was kept, its trace, and why it failed, if it did.
struct Snapshot {
  std::vector<unsigned char> state;
  Trace trace;
  std::string failure;
  int begun_from = -1;  ///< see AnyRun
  bool waits = false;
  Tallies tallies;
};

/// Chains on threads, which meet once (meeting.h) where their plan says so. Each thread takes the
/// chain that has waited longest, advances it for a while and puts it back, so that all are equally
/// far whenever they are stopped. A chain that fails drops out alone. Where chains of one run are
/// in several processes, each goes stretch by stretch, and they meet where all are at hand.
class Chains {
 public:
  using Watch = std::function<bool(Chains&)>;

  /// numbers: of the chains in the whole run, from 0; empty if these are all.
  explicit Chains(std::vector<std::unique_ptr<AnyRun>> runs, const std::vector<int>& numbers = {});

  /// Runs all to their ends, with a meeting on the way where they have one. The calling thread asks
  /// watch(*this) twenty times a second whether to go on; what that throws is thrown here, with all
  /// threads ended.
  void work(int cores, const Watch& watch);

  /// Runs all for so many seconds and to the end of the sweep after, at most to their meeting. Each
  /// makes a sweep at least.
  void stretch(double seconds, int cores, const Watch& watch);
  /// Those that wait for a meeting have it; all are ready to be looked at, as after stand().
  void meet();
  /// None continues; all are ready to be looked at.
  void stand();

  int size() const { return static_cast<int>(members_.size()); }
  int number(int c) const { return members_[c].number; }
  std::vector<std::string> scalar_names() const;
  std::vector<std::string> move_names() const;
  /// Sweeps done by each.
  std::vector<int> done() const;

  /// Requests a snapshot of every chain at the end of its next sweep. Returns true if all requested
  /// ones are there.
  void ask();
  bool answered() const;
  /// The last snapshot of a chain; if it has ended, its end.
  Snapshot snapshot(int c);
  /// The end of a chain. Its trace is moved, not copied: the chain begins a new one.
  Snapshot take(int c);

 private:
  using Clock = std::chrono::steady_clock;

  struct Member {
    Member(std::unique_ptr<AnyRun> run_, int number_)
        : run(std::move(run_)), number(number_), done(run->done()) {}

    std::unique_ptr<AnyRun> run;
    int number;
    bool slow = true;
    std::vector<unsigned char> before;  ///< the state before a slow sweep
    std::atomic<int> done;
    std::atomic<bool> asked{false}, ended{false};
    std::mutex mutex;
    Snapshot snapshot;
  };

  void advance_all(int cores, const Watch& watch);
  std::vector<int> at_meeting() const;
  void stop();
  void start_threads(int count, std::vector<std::thread>& threads);
  int next_waiting();
  void put_back(int c);
  bool advance(Member& m);
  void sweep(Member& m);
  void end(Member& m, std::vector<unsigned char> state, std::string failure);
  /// The snapshot without its trace.
  void keep(Member& m, std::vector<unsigned char> state, std::string failure);

  std::deque<Member> members_;
  std::deque<int> waiting_;
  std::mutex mutex_;
  std::atomic<int> running_{0};
  std::atomic<bool> stopping_{false};
  Clock::time_point stopped_at_, until_ = Clock::time_point::max();
};

}  // namespace buffet
