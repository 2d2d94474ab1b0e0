#include "meibp_ascent.h"

#include <cstdint>
#include <utility>

namespace buffet {

Ascent::Ascent(Meibp state, Rng rng, Proposals kinds, const GaussianData* x)
    : state_(std::move(state)),
      rng_(rng),
      kinds_(kinds),
      x_(x),
      phase_(kinds == Proposals::none ? final_phase : births) {}

const Meibp& Ascent::result() const {
  return allowed_ && state_.z.size() > state_.plan().max_features ? *allowed_ : state_;
}

void Ascent::step(const Check& check) {
  rng_.begin(done_);
  if (converging_)
    iterate(check);
  else if (phase_ < blocks)
    propose(check);
  else if (phase_ == escalation)
    escalate(check);
  else
    end(check);
  ++done_;
}

int Ascent::most_features() const {
  // More features than are needed in the end are useful on the way.
  const std::int64_t most = std::int64_t{state_.plan().max_features} * 5 / 4 + 2;
  return static_cast<int>(std::min<std::int64_t>(most, state_.prior().most_features()));
}

void Ascent::iterate(const Check& check) {
  const double before = state_.bound();
  state_.iterate(rng_, check);
  const double gain = state_.bound() - before;
  record();
  const double tol = phase_ == final_phase ? state_.plan().tol : 1e-6;
  // False if the gain is NaN.
  converging_ = gain > tol * size_in_units_of(state_.data(), state_.bound());
}

void Ascent::record() {
  const double before = trace_.empty() ? -INFINITY : trace_.back();
  const bool allowed = state_.z.size() <= state_.plan().max_features;
  trace_.push_back(allowed ? std::max(before, state_.bound()) : before);
}

void Ascent::propose(const Check& check) {
  failed_[phase_].clear();
  bool any = false;
  if (phase_ == births) any = propose_births(check);
  if (phase_ == splits) any = propose_splits(check);
  if (phase_ == merges) any = propose_merges(check);
  if (phase_ == deaths) any = propose_deaths(check);
  failed_blocks_ = any ? 0 : failed_blocks_ + 1;
  converging_ = any;
  if (kinds_ == Proposals::all)
    phase_ = failed_blocks_ == blocks ? escalation : (phase_ + 1) % blocks;
  else if (!any)
    finish();
}

void Ascent::finish() {
  converging_ = true;
  phase_ = final_phase;
}

bool Ascent::propose_births(const Check& check) {
  bool any = false;
  // Births are cheap unless there are very many rows.
  const int patience = kinds_ == Proposals::all ? 10 : 3;
  for (int failures = 0; failures < patience && state_.z.size() < most_features();) {
    const FeatureMove p = Proposer(state_, *x_).birth(rng_, check);
    if (attempt(p, births, check)) {
      any = true;
      failures = 0;
    } else {
      ++failures;
    }
  }
  return any;
}

bool Ascent::propose_splits(const Check& check) {
  bool any = false;
  // Accepted splits append their new features and move the last feature into the gap left by the
  // old one.
  for (int k = state_.z.size() - 1; k >= 0; --k) {
    if (state_.z.size() >= most_features()) break;
    check();
    any |= attempt(Proposer(state_, *x_).split(k), splits, check);
  }
  return any;
}

bool Ascent::propose_merges(const Check& check) {
  return one_by_one(merges, check, [](const Proposer& proposer) {
    std::vector<FeatureMove> all;
    for (const auto& [k, l] : proposer.likely_pairs()) all.push_back(proposer.merge(k, l));
    return all;
  });
}

bool Ascent::propose_deaths(const Check& check) {
  return one_by_one(deaths, check, [](const Proposer& proposer) {
    std::vector<FeatureMove> all;
    for (int k : proposer.by_weight()) all.push_back(proposer.death(k));
    return all;
  });
}

bool Ascent::attempt(const FeatureMove& p, int kind, const Check& check) {
  if (p.drops.empty() && p.adds.empty()) return false;
  Meibp next = changed(state_, p, rng_, check);
  next.settle(quick());
  if (next.bound() > state_.bound() + least_gain()) {
    take(std::move(next));
    return true;
  }
  remember(p, next.bound(), kind);
  return false;
}

void Ascent::take(Meibp next) {
  const int most = state_.plan().max_features;
  if (state_.z.size() <= most && next.z.size() > most) allowed_ = state_;
  state_ = std::move(next);
  for (auto& proposals : failed_) proposals.clear();
}

void Ascent::remember(FeatureMove p, double bound, int kind) {
  p.bound = bound;
  auto& best = failed_[kind];
  const auto at = std::find_if(best.begin(), best.end(),
                               [&](const FeatureMove& other) { return other.bound < bound; });
  best.insert(at, std::move(p));
  if (best.size() > 5) best.pop_back();
}

void Ascent::escalate(const Check& check) {
  for (int kind : {deaths, merges, births, splits})
    for (const FeatureMove& p : failed_[kind])
      if (pursue(p, check)) {
        failed_blocks_ = 0;
        phase_ = births;
        converging_ = true;
        return;
      }
  finish();
}

bool Ascent::pursue(const FeatureMove& p, const Check& check) {
  Meibp next = changed(state_, p, rng_, check);
  next.settle(quick());
  const double goal = state_.bound() + least_gain();
  for (int n = 1; n <= 3; ++n) {
    const double before = next.bound();
    next.iterate(rng_, check);
    if (next.bound() > goal) {
      take(std::move(next));
      return true;
    }
    const double deficit = goal - next.bound(), gain = next.bound() - before;
    if (deficit > (n == 1 ? 4 : 2 * (3 - n)) * gain) return false;
  }
  return false;
}

void Ascent::end(const Check& check) {
  if (state_.z.size() <= state_.plan().max_features) {
    if (allowed_ && allowed_->bound() > state_.bound()) state_ = *allowed_;
    record();
    finished_ = true;
    return;
  }
  const Proposer proposer(state_, *x_);
  Meibp best = state_;
  double most = -INFINITY;
  for (int k = 0; k < state_.z.size(); ++k) {
    check();
    Meibp next = changed(state_, proposer.death(k), rng_, check);
    next.settle(quick());
    if (next.bound() > most) {
      most = next.bound();
      best = std::move(next);
    }
  }
  state_ = std::move(best);
  converging_ = true;
}

}  // namespace buffet
