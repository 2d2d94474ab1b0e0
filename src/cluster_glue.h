#pragma once

#include <RcppEigen.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/remote_team.h"
#include "point_glue.h"

/// R handles to programs in the core that share rows, one program per worker of a cluster. The
/// program runs on a thread that does not use R; while it waits for a reply, R's thread may read
/// its state.

namespace buffet {

/// R's handle to a worker.
class Member {
 public:
  /// share: members (the number of workers) and member (the number of this one, from 0).
  explicit Member(const Rcpp::List& share) : team_(share["members"], share["member"]) {}
  virtual ~Member() = default;

  RemoteTeam& team() { return team_; }
  /// The progress of the program as reported to the user; NULL if none is known yet.
  virtual Rcpp::RObject status() const = 0;
  /// The state that the program has saved. Workers other than the first return only results for
  /// their own rows.
  virtual Rcpp::RObject saved() const = 0;
  /// The result of the program once it has ended, in the same form as the saved state.
  virtual Rcpp::RObject result() const = 0;

 protected:
  bool is_first() const { return team_.index() == 0; }

  RemoteTeam team_;
};

/// A worker of an optimisation, created by `Program`. share: additionally the numbers of rows of
/// all workers, and first_block and block_rows of this worker.
template <class Program>
class AscentMember : public Member {
 public:
  AscentMember(Program program, const Rcpp::RObject& x, const Rcpp::List& plan,
               const Rcpp::List& share)
      : Member(share),
        program_(std::move(program)),
        rows_(RSource::of_member(x, share)),
        start_(as_start(plan, share["rows"])),
        state_(as_bytes(plan["state"])) {
    team_.begin([this] { run(); });
  }
  ~AscentMember() override { team_.cancel(); }

  Rcpp::RObject status() const override {
    return status_ ? Rcpp::RObject(from_progress(*status_)) : Rcpp::RObject();
  }
  /// The state covers all rows, so only the first worker returns it.
  Rcpp::RObject saved() const override {
    return is_first() ? Rcpp::RObject(Rcpp::wrap(state_)) : Rcpp::RObject();
  }
  Rcpp::RObject result() const override {
    const Rcpp::List all = Program::result(*run_, state_);
    if (is_first()) return all;
    Rcpp::List own;
    for (const char* name : {"features", "probabilities"})
      if (all.containsElementNamed(name)) own[name] = all[name];
    return own;
  }

 private:
  void run() {
    const int columns = rows_.columns();
    data_.emplace(rows_.take(), columns, team_);
    run_ = program_.make(*data_, rows_.whole());
    run_->start(start_, no_check);
    if (!state_.empty()) from_bytes(state_, *run_);
    while (!run_->finished() && !team_.stops()) {
      run_->step(no_check);
      status_ = Program::describe(*run_);
      team_.report(mark());
      if (!team_.saves()) continue;
      state_ = to_bytes(*run_);
      team_.save();
    }
    state_ = to_bytes(*run_);
  }

  /// Until all rows have been searched, each worker runs its own ascents on some of the rows.
  Eigen::VectorXd mark() const {
    if (!status_->all_rows) return {};
    return Eigen::Vector3d(status_->done, status_->features, status_->bound);
  }

  Program program_;
  RSource rows_;
  AscentStart start_;
  std::vector<unsigned char> state_;
  std::optional<AscentData> data_;
  std::unique_ptr<typename Program::Run> run_;
  std::optional<Progress> status_;
};

/// Runs the program in one process that has all rows. If it is interrupted before it has begun, it
/// returns the state from which it would have started.
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
  return Rcpp::XPtr<Member>(new AscentMember<Program>(std::move(program), x, plan, share));
}

}  // namespace buffet
