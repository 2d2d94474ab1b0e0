#pragma once

#include <RcppEigen.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/relay.h"
#include "point_glue.h"

/// Members of teams between R and the core: the program of a member runs on a thread, which knows
/// nothing of R; what it asks goes through R to whoever leads the team.

namespace buffet {

/// A member as R holds it.
class Member {
 public:
  /// share: members and member (from 0).
  explicit Member(const Rcpp::List& share) : relay_(share["members"], share["member"]) {}
  virtual ~Member() = default;

  Relay& relay() { return relay_; }
  /// What its program kept last.
  virtual Rcpp::RObject kept() = 0;
  /// What it has found, once it has ended: of its own rows, where it is of rows.
  virtual Rcpp::List result() = 0;

 protected:
  Relay relay_;
  std::mutex mutex_;
};

/// One of an optimisation, which `Program` makes. share: also rows of all members, and first_block
/// and block_rows of its own.
template <class Program>
class MemberOf : public Member {
 public:
  MemberOf(Program program, const Rcpp::RObject& x, const Rcpp::List& plan, const Rcpp::List& share)
      : Member(share),
        program_(std::move(program)),
        rows_(RSource::of_member(x, share)),
        start_(as_start(plan, share["rows"])),
        state_(as_bytes(plan["state"])) {
    relay_.begin([this] { run(); });
  }
  ~MemberOf() override { relay_.abandon(); }

  /// The state, of all rows.
  Rcpp::RObject kept() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Rcpp::wrap(state_);
  }
  Rcpp::List result() override { return Program::result(*run_, state_); }

 private:
  void run() {
    const int columns = rows_.columns();
    data_.emplace(rows_.take(), columns, relay_);
    run_ = program_.make(*data_, rows_.whole());
    run_->start(start_, no_check);
    if (!state_.empty()) from_bytes(state_, *run_);
    while (!run_->finished() && !relay_.stops()) {
      run_->step(no_check);
      const Progress at = Program::describe(*run_);
      const Eigen::Vector4d status(at.done, at.all_rows, at.features, at.bound);
      relay_.report(status, status.head(at.all_rows ? 4 : 0));
      if (!relay_.saves()) continue;
      std::vector<unsigned char> state = to_bytes(*run_);
      const std::lock_guard<std::mutex> lock(mutex_);
      state_ = std::move(state);
      relay_.kept();
    }
    state_ = to_bytes(*run_);
  }

  Program program_;
  RSource rows_;
  AscentStart start_;
  std::vector<unsigned char> state_;
  std::optional<AscentData> data_;
  std::unique_ptr<typename Program::Run> run_;
};

/// The program in one process that has all rows. Interrupted before it has begun, it gives back the
/// state that it was given.
template <class Program>
Rcpp::List run_alone(const Program& program, const Rcpp::RObject& x, const Rcpp::List& plan,
                     const Rcpp::List& watch) {
  using Run = typename Program::Run;
  const RSource rows(x);
  const AscentData data(rows.source(), rows.columns());
  const std::unique_ptr<Run> run = program.make(data, rows.whole());
  const Rcpp::Function stop = watch["stop"];
  Guard guard(stop);
  try {
    run->start(as_start(plan, data.rows()), [&] { guard(); });
  } catch (const Stopped&) {
    return Rcpp::List::create(Rcpp::Named("finished") = false,
                              Rcpp::Named("state") = plan["state"]);
  }
  run_to_end(*run, plan, watch, [](const Run& at) { return from_progress(Program::describe(at)); });
  return Program::result(*run, to_bytes(*run));
}

template <class Program>
SEXP open_member(Program program, const Rcpp::RObject& x, const Rcpp::List& plan,
                 const Rcpp::List& share) {
  return Rcpp::XPtr<Member>(new MemberOf<Program>(std::move(program), x, plan, share));
}

}  // namespace buffet
