#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "meibp_ascent.h"

namespace buffet {

/// A whole maximisation: ascents from several starts, of which the best is kept. Where rows are
/// many, or are not in memory, those are ascents on some of the rows, and what the best has found
/// is carried over to all.
template <class Prior>
class MeibpRun {
 public:
  using State = Meibp<Prior>;

  struct Model {
    typename Prior::Spec prior;
    Precisions precisions;
  };
  struct Start {
    Features features;  ///< to start from; none: from random features, and from a single one
    int restarts;       ///< how often each of the two is done
    std::uint64_t seed;
    double tau_x, tau_a;  ///< where learned precisions start, or NaN
  };

  /// `whole`: the data, where they are in memory.
  MeibpRun(const AscentData& data, const GaussianData* whole, const MeibpPlan& plan,
           const Model& model)
      : data_(data), whole_(whole), plan_(plan), model_(model), rng_(0) {
    plan_.max_features = std::min(plan.max_features, empty(data, plan).prior().most_features());
  }

  void start(const Start& start) {
    rng_ = Rng(start.seed, 1000);
    if (start.features.size() > 0) {
      State state = first(data_, plan_, start);
      for (int k = 0; k < start.features.size(); ++k)
        state.add(start.features.column(k), Eigen::VectorXd::Zero(data_.columns));
      add_start(std::move(state), Rng(start.seed), kinds(), whole_);
      return;
    }
    if (!whole_ || data_.rows() > many) part_ = std::make_unique<Part>(data_.source, rng_);
    const GaussianData& x = part_ ? part_->x : *whole_;
    const AscentData& data = part_ ? part_->data : data_;
    MeibpPlan plan = plan_;
    plan.threads = 1;  // the starts have threads of their own
    for (int r = 0; r < start.restarts; ++r) {
      Rng random(start.seed, 2 * r), single(start.seed, 2 * r + 1);
      State state = first(data, plan, start);
      add_random(state, random);
      add_start(std::move(state), random, Proposals::all, &x);
      state = first(data, plan, start);
      state.add(all_rows(data.rows()), Eigen::VectorXd::Zero(data.columns));
      add_start(std::move(state), single, Proposals::all, &x);
    }
  }

  bool finished() const { return finished_; }
  /// Iterations and blocks of proposals of all ascents.
  int done() const {
    int done = last_ ? last_->done() : 0;
    for (const auto& ascent : starts_) done += ascent.done();
    return done;
  }
  /// The best so far; has it all rows?
  const Ascent<State>& best() const {
    if (last_) return *last_;
    return *std::max_element(starts_.begin(), starts_.end(), [](const auto& a, const auto& b) {
      return a.result().bound() < b.result().bound();
    });
  }
  bool has_all_rows() const { return !part_ || last_; }

  /// Some steps of every ascent that is on its way. `check` may throw, which undoes the steps that
  /// it stopped.
  void step(const Check& check) {
    if (last_) {
      undone_by_throw(*last_, [&] { last_->step(check); });
      finished_ = last_->finished();
      return;
    }
    const auto advance_one = [&](int s) {
      if (!starts_[s].finished()) undone_by_throw(starts_[s], [&] { advance(starts_[s], check); });
    };
    // The calling thread alone may be able to tell that all are to stop.
    parallel_for(static_cast<int>(starts_.size()), plan_.threads, advance_one, check);
    const bool done = std::all_of(starts_.begin(), starts_.end(),
                                  [](const auto& ascent) { return ascent.finished(); });
    if (done && part_) carry_over(check);
    finished_ = done && !part_;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(finished_);
    for (auto& ascent : starts_) a(ascent);
    bool has_last = last_.has_value();
    a(has_last);
    if (!has_last) last_.reset();
    if (!has_last) return;
    if (a.reads()) last_.emplace(empty(data_, plan_), rng_, kinds(), whole_);
    a(*last_);
  }

 private:
  static constexpr int some = 2000, many = 5000, very_many = 20000;

  /// Some of the rows.
  struct Part {
    GaussianData x;
    AscentData data;

    Part(const Source& source, Rng& rng)
        : x(some_rows(source, draw(source.rows(), rng))), data(Source(x), x.columns()) {}

    static std::vector<int> draw(int rows, Rng& rng) {
      std::vector<int> drawn;
      rng.permutation(rows, drawn);
      drawn.resize(std::min(some, rows));
      std::sort(drawn.begin(), drawn.end());
      return drawn;
    }
  };

  /// Proposals of all kinds cost more than they bring where rows are very many.
  Proposals kinds() const {
    if (!whole_) return Proposals::none;
    return data_.rows() > very_many ? Proposals::births : Proposals::all;
  }

  State empty(const AscentData& data, const MeibpPlan& plan) const {
    return State(data, plan, Prior(data.rows(), model_.prior), model_.precisions);
  }

  State first(const AscentData& data, const MeibpPlan& plan, const Start& start) const {
    State state = empty(data, plan);
    const auto& f = state.factor();
    state.start_precisions(std::isnan(start.tau_x) ? f.tau_x().mean() : start.tau_x,
                           std::isnan(start.tau_a) ? f.tau_a().mean() : start.tau_a);
    return state;
  }

  static Bits all_rows(int rows) {
    Bits column(rows);
    for (int i = 0; i < rows; ++i) column.set(i);
    return column;
  }

  /// max_features columns of Bernoulli(1/3), as far as a row can be searched for so many, and small
  /// loadings.
  void add_random(State& state, Rng& rng) const {
    const double size = 0.05 * state.data().root_mean_square();
    for (int k = 0; k < std::min(plan_.max_features, 1000); ++k) {
      Bits column(state.z.rows());
      for (int i = 0; i < state.z.rows(); ++i)
        if (rng.bernoulli(1.0 / 3)) column.set(i);
      const Eigen::VectorXd loading = Eigen::VectorXd::NullaryExpr(
          state.data().columns, [&] { return std::abs(size * rng.normal()); });
      if (column.count() > 0) state.add(std::move(column), loading);
    }
  }

  void add_start(State state, Rng rng, Proposals kinds, const GaussianData* x) {
    state.settle(state.passes());
    starts_.emplace_back(std::move(state), rng, kinds, x);
  }

  /// Steps for a while, so that threads seldom wait for each other.
  static void advance(Ascent<State>& ascent, const Check& check) {
    using Clock = std::chrono::steady_clock;
    const auto begun = Clock::now();
    while (!ascent.finished() && Clock::now() - begun < std::chrono::milliseconds(200))
      ascent.step(check);
  }

  template <class F>
  static void undone_by_throw(Ascent<State>& ascent, F work) {
    const std::vector<unsigned char> before = to_bytes(ascent);
    try {
      work();
    } catch (...) {
      from_bytes(before, ascent);
      throw;
    }
  }

  void carry_over(const Check& check) {
    const State& found = best().result();
    const auto& f = found.factor();
    const double share = double(data_.rows()) / found.z.rows();
    std::vector<int> counts;
    for (int k = 0; k < found.z.size(); ++k)
      counts.push_back(std::min(data_.rows() - 1, static_cast<int>(share * found.z.count(k))));
    State all = empty(data_, plan_);
    rng_.begin(0);
    all.place({f.mean(), f.variance(), f.tau_x().mean(), f.tau_a().mean(), counts}, rng_, check);
    all.drop_empty();
    all.settle(all.passes());
    last_.emplace(std::move(all), rng_, kinds(), whole_);
  }

  const AscentData& data_;
  const GaussianData* whole_;
  MeibpPlan plan_;
  Model model_;
  Rng rng_;
  std::unique_ptr<Part> part_;
  std::vector<Ascent<State>> starts_;
  std::optional<Ascent<State>> last_;
  bool finished_ = false;
};

}  // namespace buffet
