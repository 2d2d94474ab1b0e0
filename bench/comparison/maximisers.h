#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "competitor.h"

namespace bench {

inline std::vector<int> held_by(const buffet::Features& z, int row) {
  std::vector<int> held;
  for (int k = 0; k < z.size(); ++k)
    if (z.at(row, k)) held.push_back(k);
  return held;
}

inline Eigen::ArrayXXd log_density_of(const State& state, const Places& at) {
  const auto& q = state.factor();
  const buffet::NonnegativeFit fit{q.location(), q.scale(), 1 / q.tau_x().mean()};
  int row = -1;
  std::vector<int> held;
  return at_places(at, [&](int i, int h, double value) {
    if (i != row) held = held_by(state.z, row = i);
    return buffet::log_density(fit, held, at.problem.columns[h],
                               buffet::Noisy{value, fit.variance});
  });
}

/// MEIBP as published: one random start, only the local search, loadings updated after every
/// changed row (or once per sweep), and no moves of whole features.
class PublishedMeibp : public Competitor {
 public:
  PublishedMeibp(const Entry& e, bool by_rows) : rng_(e.seed), state_(start(e, by_rows, rng_)) {}

  void iterate() override {
    rng_.begin(done_++);
    state_.iterate(rng_, [] {});
  }
  double training() const override {
    return expected_log_lik(state_.factor(), state_.data().observed());
  }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return log_density_of(state_, at);
  }
  int features() const override { return state_.z.size(); }
  const buffet::Features& found() const { return state_.z; }

 private:
  static State start(const Entry& e, bool by_rows, buffet::Rng& rng) {
    buffet::MeibpPlan plan = plan_for(e.features);
    plan.rule = buffet::RowRule::local;
    plan.by_rows = by_rows;
    return random_start(empty_state(e.input, plan, e.papers()), rng);
  }

  buffet::Rng rng_;
  State state_;
  int done_ = 0;
};

/// MEIBP with buffet's defaults.
class DefaultMeibp : public Competitor {
 public:
  explicit DefaultMeibp(const Entry& e)
      : run_(e.input.data, &e.input.x, plan_for(e.features), learned()) {
    run_.start(start_at(buffet::Features(e.input.data.rows()), e.seed), [] {});
  }

  void iterate() override {
    run_.step([] {});
  }
  double training() const override {
    return expected_log_lik(state().factor(), state().data().observed());
  }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return log_density_of(state(), at);
  }
  int features() const override { return state().z.size(); }
  bool has_state() const override { return run_.has_all_rows(); }
  Ending ending() const override { return run_.finished() ? Ending::by_itself : Ending::not_yet; }

 private:
  const State& state() const { return run_.best().result(); }

  Maximisation run_;
};

}  // namespace bench
