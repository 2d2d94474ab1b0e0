#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "soft_ascent.h"

namespace buffet {

/// Mean-field inference from several starts, of which the best is kept.
template <class State>
class VariationalRun {
 public:
  VariationalRun(const AscentData& data, const VariationalPlan& plan,
                 const typename State::Model& model)
      : data_(data), plan_(plan), model_(model), start_{Features(data.rows()), 0, NAN, NAN} {}

  /// Without features: from random ones, and from none.
  void start(AscentStart start) {
    start_ = std::move(start);
    begin();
  }

  bool finished() const { return ended_ == count(); }
  int done() const { return done_before_ + now_->done(); }
  const SoftAscent<State>& best() const { return best_ ? *best_ : *now_; }

  /// One iteration. `check` may throw, which undoes it.
  void step(const Check& check) {
    now_->step(check);
    if (!now_->finished()) return;
    if (!best_ || now_->result().bound() > best_->result().bound()) {
      best_ = now_;
      best_number_ = ended_;
    }
    if (++ended_ == count()) return;
    done_before_ += now_->done();
    begin();
  }

  void archive(Archive& a) {
    for (int* value : {&ended_, &done_before_, &best_number_}) a(*value);
    if (a.reads()) now_.emplace(ascent(std::min(ended_, count() - 1)));
    a(*now_);
    if (best_number_ < 0) return;
    if (a.reads()) best_.emplace(ascent(best_number_));
    a(*best_);
  }

 private:
  /// Two kinds of start, one after the other, as often as wished; or one start that is given.
  int count() const {
    if (start_.features.size() > 0) return 1;
    return plan_.only_growing ? plan_.restarts : 2 * plan_.restarts;
  }

  void begin() { now_.emplace(ascent(ended_)); }

  SoftAscent<State> ascent(int number) const {
    using Ascent = SoftAscent<State>;
    Rng rng(start_.seed, number);
    const bool grows = plan_.only_growing || number % 2 == 1;
    State state(data_, model_, plan_.threads);
    state.factor().start_precisions(start_.tau_x, start_.tau_a);
    add_doubtful(state, start_.features);
    const bool given = start_.features.size() > 0;
    if (!given && !grows) add_random(state, rng);
    // The noise from what the features given explain, before rows are visited.
    for (int n = 0; n < (given ? 3 : 1); ++n) state.settle([] {});
    const auto kind = grows ? Ascent::growing() : given ? Ascent::plain() : Ascent::annealed();
    return Ascent(std::move(state), rng, kind, plan_);
  }

  /// Rows hold the given features with some doubt.
  static void add_doubtful(State& state, const Features& features) {
    for (int k = 0; k < features.size(); ++k) {
      Eigen::VectorXd on = Eigen::VectorXd::Constant(features.rows(), 0.05);
      features.column(k).for_each([&](int i) { on(i) = 0.95; });
      state.add(on, Eigen::VectorXd::Zero(state.data().columns));
    }
  }

  void add_random(State& state, Rng& rng) const {
    const int most = std::min(plan_.max_features, state.probabilities().most_features());
    for (int k = 0; k < most; ++k)
      state.add(Eigen::VectorXd::NullaryExpr(data_.rows(), [&] { return rng.uniform(); }),
                Eigen::VectorXd::Zero(data_.columns));
  }

  const AscentData& data_;
  VariationalPlan plan_;
  typename State::Model model_;
  AscentStart start_;
  std::optional<SoftAscent<State>> now_, best_;
  int ended_ = 0, done_before_ = 0, best_number_ = -1;
};

}  // namespace buffet
