#include "chains.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "any_run.h"

namespace buffet {

Chains::Chains(std::vector<std::unique_ptr<AnyRun>> runs, const std::vector<int>& numbers) {
  for (std::size_t c = 0; c < runs.size(); ++c)
    members_.emplace_back(std::move(runs[c]), numbers.empty() ? static_cast<int>(c) : numbers[c]);
}

void Chains::work(int cores, const Watch& watch) {
  advance_all(cores, watch);
  if (stopping_ || at_meeting().empty()) return;
  meet();
  advance_all(cores, watch);
}

void Chains::stretch(double seconds, int cores, const Watch& watch) {
  until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::min(seconds, 1e6)));
  advance_all(cores, watch);
}

std::vector<int> Chains::at_meeting() const {
  std::vector<int> waiting;
  for (int c = 0; c < size(); ++c)
    if (members_[c].snapshot.failure.empty() && members_[c].run->waits()) waiting.push_back(c);
  return waiting;
}

void Chains::meet() {
  std::vector<AnyRun*> runs;
  std::vector<int> numbers;
  for (int c : at_meeting()) {
    runs.push_back(members_[c].run.get());
    numbers.push_back(number(c));
  }
  buffet::meet(runs, numbers);
  // If only some of the chains were saved after the barrier, the others would reach it without
  // them.
  stand();
}

void Chains::stand() {
  for (Member& m : members_)
    if (m.snapshot.failure.empty()) end(m, to_bytes(*m.run), "");
}

/// Advances each chain to its end or to the barrier. Failed chains stay where they are.
void Chains::advance_all(int cores, const Watch& watch) {
  for (int c = 0; c < size(); ++c)
    if (members_[c].snapshot.failure.empty()) {
      members_[c].ended = false;
      waiting_.push_back(c);
    }
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

std::vector<std::string> Chains::scalar_names() const {
  return members_.front().run->scalar_names();
}

std::vector<std::string> Chains::move_names() const {
  return members_.front().run->move_names();
}

std::vector<int> Chains::done() const {
  std::vector<int> done;
  for (const Member& m : members_) done.push_back(m.done);
  return done;
}

void Chains::ask() {
  for (Member& m : members_) m.asked = true;
}

bool Chains::answered() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const Member& m) { return !m.asked || m.ended; });
}

Snapshot Chains::snapshot(int c) {
  Member& m = members_[c];
  const std::lock_guard<std::mutex> lock(m.mutex);
  Snapshot now = m.snapshot;
  if (m.ended) now.trace = m.run->trace();
  return now;
}

Snapshot Chains::take(int c) {
  Member& m = members_[c];
  Snapshot end = std::move(m.snapshot);
  end.trace = m.run->take_trace();
  m.snapshot = {};
  return end;
}

void Chains::stop() {
  stopped_at_ = Clock::now();
  stopping_ = true;
}

void Chains::start_threads(int count, std::vector<std::thread>& threads) {
  for (int n = 0; n < count; ++n) {
    ++running_;
    try {
      threads.emplace_back([this] {
        for (int c = next_waiting(); c >= 0; c = next_waiting())
          if (advance(members_[c])) put_back(c);
        --running_;
      });
    } catch (const std::system_error&) {  // one thread is enough
      --running_;
      if (threads.empty()) throw;
    }
  }
}

int Chains::next_waiting() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.empty()) return -1;
  const int c = waiting_.front();
  waiting_.pop_front();
  return c;
}

void Chains::put_back(int c) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(c);
}

/// Runs a few sweeps of one chain. Returns true if more are left.
bool Chains::advance(Member& m) {
  try {
    const auto begun = Clock::now();
    while (!m.run->arrived() && !stopping_ && Clock::now() - begun < std::chrono::milliseconds(50))
      sweep(m);
    if (!m.run->arrived() && !stopping_ && Clock::now() < until_) return true;
    end(m, to_bytes(*m.run), "");
  } catch (const Stopped&) {
    end(m, std::move(m.before), "");
  } catch (const std::exception& e) {
    end(m, {}, e.what());
  }
  return false;
}

void Chains::sweep(Member& m) {
  if (m.slow)
    m.before = to_bytes(*m.run);
  else
    m.before.clear();
  const auto begun = Clock::now();
  m.run->step([this] {
    // A sweep that is in progress gets a third of a second to finish.
    if (stopping_ && Clock::now() - stopped_at_ > std::chrono::milliseconds(300)) throw Stopped();
  });
  m.slow = Clock::now() - begun > std::chrono::milliseconds(20);
  m.done = m.run->done();
  if (m.asked) {
    const std::lock_guard<std::mutex> lock(m.mutex);
    keep(m, to_bytes(*m.run), "");
    m.snapshot.trace = m.run->trace();
    m.asked = false;
  }
}

void Chains::end(Member& m, std::vector<unsigned char> state, std::string failure) {
  const std::lock_guard<std::mutex> lock(m.mutex);
  keep(m, std::move(state), std::move(failure));
  m.ended = true;
}

void Chains::keep(Member& m, std::vector<unsigned char> state, std::string failure) {
  const bool waits = failure.empty() && m.run->waits();
  m.snapshot = {std::move(state),    {},    std::move(failure),
                m.run->begun_from(), waits, m.run->tallies()};
}

}  // namespace buffet
