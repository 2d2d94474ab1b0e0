#pragma once

#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "team.h"

namespace buffet {

/// A request of a worker's program to all workers, or the message that it has a state to save or
/// has ended.
struct Request {
  enum Kind { heartbeat, sum, gather, save, end };
  int kind = heartbeat;
  TreeSum sums;
  Eigen::VectorXd values;
  Eigen::VectorXd mark;  ///< progress of the program, the same for all workers

  void archive(Archive& a) {
    a(kind);
    a.check(kind >= heartbeat && kind <= end, "the kind of a request");
    a(sums);
    a(values);
    a(mark);
  }
};

struct Reply {
  bool save = false, stop = false;
  Eigen::VectorXd values;

  void archive(Archive& a) {
    a(save);
    a(stop);
    a(values);
  }
};

/// True if two workers have reached the same point, bit for bit.
inline bool agree(const Request& a, const Request& b) {
  const auto size = a.mark.size();
  return a.kind == b.kind && size == b.mark.size() &&
         (size == 0 || std::memcmp(a.mark.data(), b.mark.data(), size * sizeof(double)) == 0);
}

/// The reply to the requests of all workers, in the order of their rows.
inline Reply reply_to(const std::vector<Request>& requests) {
  TreeSum sums;
  std::vector<double> values;
  for (const Request& r : requests) {
    if (!agree(r, requests.front()))
      throw std::runtime_error(
          "the workers disagree: their processors or libraries round differently.");
    sums.add(r.sums);
    values.insert(values.end(), r.values.data(), r.values.data() + r.values.size());
  }
  Reply reply;
  if (requests.front().kind == Request::sum) reply.values = sums.total();
  if (requests.front().kind == Request::gather)
    reply.values = Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
  return reply;
}

/// A worker whose program runs on a thread. The program stops at each request until its owner, on
/// another thread, has replied; only one of the two threads runs at a time.
class RemoteTeam : public Team {
 public:
  RemoteTeam(int size, int index) : size_(size), index_(index) {}
  ~RemoteTeam() override { cancel(); }

  int size() const override { return size_; }
  int index() const override { return index_; }
  Eigen::VectorXd sum(const TreeSum& own) override { return ask({Request::sum, own, {}, mark_}); }
  Eigen::VectorXd gather(const Eigen::VectorXd& own) override {
    return ask({Request::gather, {}, own, mark_});
  }

  /// Called after a step of the program, when all workers have the same mark. If the step has
  /// requested nothing, a heartbeat asks whether to save or stop.
  void report(const Eigen::VectorXd& mark) {
    mark_ = mark;
    if (!asked_) ask({Request::heartbeat, {}, {}, mark_});
    asked_ = false;
  }
  bool saves() const { return saves_; }
  bool stops() const { return stops_; }
  /// Offers the program's state for saving.
  void save() {
    ask({Request::save, {}, {}, mark_});
    saves_ = false;
  }

  void begin(std::function<void()> program) {
    thread_ = std::thread([this, program = std::move(program)] {
      try {
        program();
      } catch (const Cancelled&) {
        return;
      } catch (...) {
        failure_ = std::current_exception();
      }
      post({Request::end, {}, {}, mark_});
    });
  }
  /// Waits for the next request; rethrows exceptions of the program.
  Request next() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return has_request_; });
    has_request_ = false;
    if (failure_) std::rethrow_exception(failure_);
    return std::move(request_);
  }
  void give(Reply reply) {
    const std::lock_guard<std::mutex> lock(mutex_);
    reply_ = std::move(reply);
    has_reply_ = true;
    changed_.notify_all();
  }
  /// Ends the program at its next request, and waits until it has ended.
  void cancel() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      cancelled_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  struct Cancelled {};

  void post(Request request) {
    const std::lock_guard<std::mutex> lock(mutex_);
    request_ = std::move(request);
    has_request_ = true;
    changed_.notify_all();
  }

  Eigen::VectorXd ask(Request request) {
    asked_ = true;
    post(std::move(request));
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return has_reply_ || cancelled_; });
    if (cancelled_) throw Cancelled();
    has_reply_ = false;
    saves_ = saves_ || reply_.save;
    stops_ = stops_ || reply_.stop;
    return std::move(reply_.values);
  }

  int size_, index_;
  bool asked_ = false, saves_ = false, stops_ = false;
  Eigen::VectorXd mark_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_request_ = false, has_reply_ = false, cancelled_ = false;
  Request request_;
  Reply reply_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace buffet
