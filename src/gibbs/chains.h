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

/// Thrown within a sweep to abandon it.
struct Stopped {};

/// The result of a chain so far: its state (empty if it was stopped within a sweep and no earlier
/// state was saved), its trace, and, if it failed, the reason.
struct Snapshot {
  std::vector<unsigned char> state;
  Trace trace;
  std::string failure;
  int begun_from = -1;  ///< see AnyRun
  bool waits = false;
  Tallies tallies;
};

/// Chains on threads, with one barrier (meeting.h) if their plan has one. Each thread takes the
/// chain that has waited longest, advances it for a while and puts it back, so all chains have made
/// similar progress whenever they are stopped. A chain that fails drops out without affecting the
/// others. If the chains of one run are in several processes, each process advances segment by
/// segment, and the barrier is handled where all chains are available.
class Chains {
 public:
  using Watch = std::function<bool(Chains&)>;

  /// numbers: indices of the chains in the whole run, from 0; empty if the run has no other chains.
  explicit Chains(std::vector<std::unique_ptr<AnyRun>> runs, const std::vector<int>& numbers = {});

  /// Runs all chains to their ends, including the barrier if they have one. The calling thread
  /// calls watch(*this) twenty times a second; an exception that it throws is rethrown here after
  /// all threads have ended.
  void work(int cores, const Watch& watch);

  /// Runs all chains for this many seconds and to the end of the current sweep, but not beyond the
  /// barrier. Each chain does at least one sweep.
  void stretch(double seconds, int cores, const Watch& watch);
  /// Runs the barrier for the chains that wait for it; all are then ready for snapshots, as after
  /// stand().
  void meet();
  /// Stops all chains; all are then ready for snapshots.
  void stand();

  int size() const { return static_cast<int>(members_.size()); }
  int number(int c) const { return members_[c].number; }
  std::vector<std::string> scalar_names() const;
  std::vector<std::string> move_names() const;
  /// Number of sweeps done by each chain.
  std::vector<int> done() const;

  /// Requests a snapshot of every chain at the end of its next sweep. answered() returns true if
  /// all requested snapshots are available.
  void ask();
  bool answered() const;
  /// The last snapshot of a chain, which is its final one if it has ended.
  Snapshot snapshot(int c);
  /// The final snapshot of a chain. Its trace is moved, not copied: the chain begins a new one.
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
  /// Sets the snapshot, except for its trace.
  void keep(Member& m, std::vector<unsigned char> state, std::string failure);

  std::deque<Member> members_;
  std::deque<int> waiting_;
  std::mutex mutex_;
  std::atomic<int> running_{0};
  std::atomic<bool> stopping_{false};
  Clock::time_point stopped_at_, until_ = Clock::time_point::max();
};

}  // namespace buffet
