#include "meibp_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/parallel.h"

namespace buffet {

MeibpRun::MeibpRun(const AscentData& data, const GaussianData* whole, const MeibpPlan& plan,
                   const Model& model)
    : data_(data), whole_(whole), plan_(plan), model_(model), rng_(0) {
  plan_.max_features = std::min(plan.max_features, empty(data, plan).prior().most_features());
}

void MeibpRun::start(const AscentStart& start, const Check& check) {
  rng_ = Rng(start.seed, 1000);
  if (start.features.size() > 0) {
    Meibp state = first(data_, plan_, start);
    for (int k = 0; k < start.features.size(); ++k)
      state.add(data_.own_part(start.features.column(k)), Eigen::VectorXd::Zero(data_.columns));
    add_start(std::move(state), Rng(start.seed), kinds(), whole_);
    return;
  }
  if (!whole_ || data_.rows() > many) part_ = std::make_unique<Part>(data_, rng_);
  const GaussianData& x = part_ ? part_->x : *whole_;
  const AscentData& data = part_ ? part_->data : data_;
  MeibpPlan plan = plan_;
  plan.threads = 1;  // the starts run on their own threads
  for (int r = 0; r < plan_.restarts; ++r) {
    Rng random(start.seed, 2 * r), single(start.seed, 2 * r + 1);
    check();
    Meibp state = first(data, plan, start);
    add_random(state, random);
    add_start(std::move(state), random, Proposals::all, &x);
    state = first(data, plan, start);
    state.add(all_rows(data), Eigen::VectorXd::Zero(data.columns));
    add_start(std::move(state), single, Proposals::all, &x);
  }
}

int MeibpRun::done() const {
  int done = last_ ? last_->done() : 0;
  for (const auto& ascent : starts_) done += ascent.done();
  return done;
}

const Ascent& MeibpRun::best() const {
  if (last_) return *last_;
  return *std::max_element(starts_.begin(), starts_.end(), [](const auto& a, const auto& b) {
    return a.result().bound() < b.result().bound();
  });
}

void MeibpRun::step(const Check& check) {
  if (last_) {
    undone_by_throw(*last_, [&] { last_->step(check); });
    finished_ = last_->finished();
    return;
  }
  const bool done = advance_all(check);
  if (done && part_) carry_over(check);
  finished_ = done && !part_;
}

bool MeibpRun::advance_all(const Check& check) {
  // A cluster of a single worker is also a team.
  const bool in_team = dynamic_cast<const Solo*>(&data_.team) == nullptr;
  const bool keeps_step = in_team && !part_;
  const auto advance_one = [&](int s) {
    if (starts_[s].finished() || !is_own(s)) return;
    undone_by_throw(starts_[s], [&] {
      if (keeps_step)
        starts_[s].step(check);
      else
        advance(starts_[s], check);
    });
  };
  // Only one thread may send requests to other workers, and only the calling thread learns that all
  // workers should stop.
  const int threads = keeps_step ? 1 : plan_.threads;
  parallel_for(static_cast<int>(starts_.size()), threads, advance_one, check);
  if (in_team && part_) return share_ends();
  return std::all_of(starts_.begin(), starts_.end(),
                     [](const auto& ascent) { return ascent.finished(); });
}

bool MeibpRun::is_own(int start) const {
  return !part_ || start % data_.team.size() == data_.team.index();
}

bool MeibpRun::share_ends() {
  Team& team = data_.team;
  const int count = static_cast<int>(starts_.size());
  int ended = 0;
  for (int s = 0; s < count; ++s) ended += is_own(s) && starts_[s].finished();
  if (team.sum_exactly(Eigen::VectorXd::Constant(1, ended))(0) < count) return false;
  for (int s = 0; s < count; ++s) {
    const int owner = s % team.size();
    from_bytes(bytes_of_member(team, owner, to_bytes(starts_[s])), starts_[s]);
  }
  return true;
}

MeibpRun::Part::Part(const AscentData& all, Rng& rng)
    : x(some_rows(all, draw(all.rows(), rng))), data(Source(x), x.columns()) {}

std::vector<int> MeibpRun::Part::draw(int rows, Rng& rng) {
  std::vector<int> drawn;
  rng.permutation(rows, drawn);
  drawn.resize(std::min(some, rows));
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

Proposals MeibpRun::kinds() const {
  if (!whole_) return Proposals::none;
  return data_.rows() > very_many ? Proposals::births : Proposals::all;
}

Meibp MeibpRun::empty(const AscentData& data, const MeibpPlan& plan) const {
  return Meibp(data, plan, Exchangeable(data.rows(), model_.prior), model_.precisions);
}

Meibp MeibpRun::first(const AscentData& data, const MeibpPlan& plan,
                      const AscentStart& start) const {
  Meibp state = empty(data, plan);
  state.start_precisions(start.tau_x, start.tau_a);
  return state;
}

Bits MeibpRun::all_rows(const AscentData& data) {
  Bits column(data.own_rows());
  for (int i = 0; i < data.own_rows(); ++i) column.set(i);
  return column;
}

void MeibpRun::add_random(Meibp& state, Rng& rng) const {
  const double size = 0.05 * state.data().root_mean_square();
  for (int k = 0; k < std::min(plan_.max_features, 1000); ++k) {
    Bits column(state.data().rows());
    for (int i = 0; i < state.data().rows(); ++i)
      if (rng.bernoulli(1.0 / 3)) column.set(i);
    const Eigen::VectorXd loading = Eigen::VectorXd::NullaryExpr(
        state.data().columns, [&] { return std::abs(size * rng.normal()); });
    if (column.count() > 0) state.add(state.data().own_part(column), loading);
  }
}

void MeibpRun::add_start(Meibp state, Rng rng, Proposals kinds, const GaussianData* x) {
  state.settle(state.passes());
  starts_.emplace_back(std::move(state), rng, kinds, x);
}

void MeibpRun::advance(Ascent& ascent, const Check& check) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  while (!ascent.finished() && Clock::now() - begun < std::chrono::milliseconds(200))
    ascent.step(check);
}

void MeibpRun::carry_over(const Check& check) {
  const Meibp& found = best().result();
  const auto& f = found.factor();
  const double share = double(data_.rows()) / found.data().rows();
  std::vector<int> counts;
  for (int k = 0; k < found.z.size(); ++k)
    counts.push_back(std::min(data_.rows() - 1, static_cast<int>(share * found.z.count(k))));
  Meibp all = empty(data_, plan_);
  rng_.begin(0);
  all.place({f.mean(), f.variance(), f.tau_x().mean(), f.tau_a().mean(), counts}, rng_, check);
  all.drop_empty();
  all.settle(all.passes());
  last_.emplace(std::move(all), rng_, kinds(), whole_);
}

}  // namespace buffet
