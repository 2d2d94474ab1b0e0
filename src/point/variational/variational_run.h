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
#include "suggested_features.h"

namespace buffet {

/// Mean-field inference from several starts, of which the best is kept.
template <class State>
class VariationalRun {
 public:
  VariationalRun(const AscentData& data, const VariationalPlan& plan,
                 const typename State::Model& model)
      : data_(data),
        plan_(plan),
        model_(model),
        start_{Features(data.rows()), 0, NAN, NAN},
        suggested_(data.rows()) {}

  /// If no features are given, runs start from features suggested by the data, from random
  /// features, and from none. `check` may throw, which leaves the run unusable.
  void start(AscentStart start, const Check& check) {
    check();
    start_ = std::move(start);
    if (start_.features.size() == 0)
      suggested_ = suggested_features(data_, most_features(), Rng(start_.seed, of_suggestion()));
    begin();
  }

  bool finished() const { return ended_ == count(); }
  int done() const { return done_before_ + now_->done(); }
  const SoftAscent<State>& best() const { return best_ ? *best_ : *now_; }

  /// One iteration. `check` may throw; the iteration is then undone.
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
    a(ended_);
    a.check(ended_ >= 0 && ended_ <= count(), "the number of starts");
    a(done_before_);
    a(best_number_);
    a.check(best_number_ >= -1 && best_number_ < count(), "the best start");
    if (a.reads()) now_.emplace(ascent(std::min(ended_, count() - 1)));
    a(*now_);
    if (best_number_ < 0) return;
    if (a.reads()) best_.emplace(ascent(best_number_));
    a(*best_);
  }

 private:
  /// Random number streams for suggesting features and for each of the other starts: a run with
  /// more starts includes the starts of a run with fewer.
  static int of_suggestion() { return 2; }
  static int of_start(int other) { return other < of_suggestion() ? other : other + 1; }

  /// If features are given, one start from these; otherwise one from suggested features, if there
  /// are any, then the two kinds of start in turn, as often as requested.
  int count() const {
    if (start_.features.size() > 0) return 1;
    return suggestions() + (plan_.only_growing ? plan_.restarts : 2 * plan_.restarts);
  }
  int suggestions() const { return suggested_.size() > 0 ? 1 : 0; }

  int most_features() const {
    const typename State::Probabilities probabilities(data_.rows(), model_.probabilities);
    return std::min(plan_.max_features, probabilities.most_features());
  }

  void begin() { now_.emplace(ascent(ended_)); }

  SoftAscent<State> ascent(int number) const {
    using Ascent = SoftAscent<State>;
    const int other = number - suggestions();
    const Features& features = other < 0 ? suggested_ : start_.features;
    Rng rng(start_.seed, other < 0 ? of_suggestion() : of_start(other));
    const bool known = features.size() > 0, grows = plan_.only_growing || other % 2 == 1;
    State state(data_, model_, plan_.threads);
    state.factor().start_precisions(start_.tau_x, start_.tau_a);
    add_doubtful(state, features);
    if (!known && !grows) add_random(state, rng);
    // Fits the noise to what the known features explain before rows are visited.
    for (int n = 0; n < (known ? 3 : 1); ++n) state.settle([] {});
    const auto kind = grows ? Ascent::growing() : known ? Ascent::plain() : Ascent::annealed();
    return Ascent(std::move(state), rng, kind, plan_);
  }

  /// Adds known features with probabilities between 0 and 1.
  static void add_doubtful(State& state, const Features& features) {
    for (int k = 0; k < features.size(); ++k) {
      Eigen::VectorXd on = Eigen::VectorXd::Constant(state.data().own_rows(), 0.05);
      state.data().own_part(features.column(k)).for_each([&](int i) { on(i) = 0.95; });
      state.add(on, Eigen::VectorXd::Zero(state.data().columns));
    }
  }

  void add_random(State& state, Rng& rng) const {
    for (int k = 0; k < most_features(); ++k) {
      const Eigen::VectorXd on =
          Eigen::VectorXd::NullaryExpr(data_.rows(), [&] { return rng.uniform(); });
      state.add(on.segment(data_.first_row(), data_.own_rows()),
                Eigen::VectorXd::Zero(data_.columns));
    }
  }

  const AscentData& data_;
  VariationalPlan plan_;
  typename State::Model model_;
  AscentStart start_;
  Features suggested_;
  std::optional<SoftAscent<State>> now_, best_;
  int ended_ = 0, done_before_ = 0, best_number_ = -1;
};

}  // namespace buffet
