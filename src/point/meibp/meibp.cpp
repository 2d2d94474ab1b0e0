#include "meibp.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/parallel.h"

namespace buffet {

Meibp::Meibp(const AscentData& data, const MeibpPlan& plan, const Exchangeable& prior,
             Precisions precisions)
    : z(data.own_rows()),
      prior_(prior),
      alpha_(prior.spec().alpha),
      factor_(data.masks, data.columns, precisions),
      data_(&data),
      plan_(plan) {
  const double rms = data.root_mean_square(), tau = rms > 0 ? 1 / (rms * rms) : 1;
  factor_.start_precisions(tau, tau);
  update_alpha();
}

void Meibp::add(Bits column, const Eigen::VectorXd& loading) {
  const Eigen::VectorXd found = sum(column);
  factor_.append(found.head(data_->columns), loading);
  z.add(std::move(column));
  z.set_count(z.size() - 1, static_cast<int>(found(data_->columns)));
}

void Meibp::drop(int k) {
  z.drop(k);
  factor_.drop(k);
}

void Meibp::drop_empty() {
  for (int k = z.size() - 1; k >= 0; --k)
    if (z.count(k) == 0) drop(k);
}

void Meibp::settle(const Passes& passes) {
  const HeldCounts held = this->held();
  shared_ = held.shared;
  factor_.update(held, data_->total, passes, plan_.threads);
  update_alpha();
  bound_ = factor_.bound(data_->observed()) + prior_.log_evidence(z);
}

void Meibp::iterate(Rng& rng, const Check& check) {
  if (plan_.by_rows) return iterate_by_rows(rng, check);
  const auto take_turns = [&](int turns) {
    search_rows(turns, rng, check);
    drop_empty();
    settle(passes());
  };
  if (data_->blocks() == 1) return take_turns(1);
  const Meibp before = *this;
  take_turns(1);
  if (bound_ >= before.bound_) return;
  *this = before;
  take_turns(data_->blocks());
}

void Meibp::iterate_by_rows(Rng& rng, const Check& check) {
  std::optional<RowTerms> terms;
  std::vector<Change> changes;
  bool any = false;
  data_->source.for_each([&](const RowBlock& block) {
    for (int n = 0; n < block.count; ++n) {
      check();
      if (!terms) terms.emplace(*this);
      const int at = block.from + n;
      terms->search(block.first + n, block.x.times(factor_.mean(), at), rng, changes);
      if (changes.empty()) continue;
      any = true;
      for (const Change& c : changes) block.x.add(at, c.by, factor_.sums().col(c.k));
      changes.clear();
      drop_empty();
      settle({1, 0, 0});
      terms.reset();
    }
  });
  if (!any) settle(passes());
}

Passes Meibp::passes() const {
  return data_->rows() < 20000 ? Passes{20, 0.05, 0.01} : Passes{100, 0.001, 0.01};
}

void Meibp::search_some(const std::vector<int>& rows, Rng& rng, const Check& check) {
  search(1, rng, [&](const RowBlock& block, RowTerms& terms, Rng& own, auto& changes) {
    const auto end = std::lower_bound(rows.begin(), rows.end(), block.first + block.count);
    for (auto i = std::lower_bound(rows.begin(), rows.end(), block.first); i != end; ++i) {
      check();
      const int at = block.from + *i - block.first;
      terms.search(*i, block.x.times(factor_.mean(), at), own, changes);
    }
  });
}

void Meibp::place(const Known& known, Rng& rng, const Check& check) {
  factor_.adopt(known.mean, known.variance);
  factor_.start_precisions(known.tau_x, known.tau_a);
  z = Features(z.rows());
  for (std::size_t k = 0; k < known.counts.size(); ++k) z.add(Bits(z.rows()));
  known_counts_ = known.counts;
  search_rows(1, rng, check);
  known_counts_.clear();
}

Meibp::RowTerms::RowTerms(Meibp& state)
    : state_(state),
      search_(problem_, state.plan_.rule),
      moments_(state.factor_, state.data_->masks) {
  problem_.fresh.resize(state_.z.size());
  for (int k = 0; k < state_.z.size(); ++k) before_.push_back(state_.z.count(k));
  begin();
  enter_pattern(0);
}

void Meibp::RowTerms::search(int i, const Eigen::VectorXd& x_mean, Rng& rng,
                             std::vector<Change>& changes) {
  enter_pattern(state_.data_->masks.pattern_of(i));
  pose(i, x_mean);
  auto& z = state_.z;
  if (!search_.improve([&](int k) { return z.at(i, k); }, rng)) return;
  for (int k = 0; k < z.size(); ++k) {
    if (search_.best.on(k) == z.at(i, k)) continue;
    const int by = z.at(i, k) ? -1 : 1;
    changes.push_back({i, k, by});
    counts_[k] += by;
    z.flip(i, k);
  }
}

void Meibp::RowTerms::enter_pattern(int pattern) {
  if (!moments_.enter(pattern)) return;
  problem_.weights = state_.factor_.tau_x().mean() * moments_.observed();
  own_ = -0.5 * problem_.weights.diagonal();
  problem_.weights.diagonal().setZero();
}

void Meibp::RowTerms::pose(int i, const Eigen::VectorXd& x_mean) {
  const auto& z = state_.z;
  problem_.linear = state_.factor_.tau_x().mean() * x_mean + own_;
  int fresh = 0, shared = 0;
  for (int k = 0; k < z.size(); ++k) {
    const int others = this->others(i, k);
    problem_.fresh[k] = others == 0;
    if (others == 0) {
      ++fresh;
      problem_.linear(k) += state_.factor_.log_own(k);
    } else {
      ++shared;
      problem_.linear(k) += state_.prior_.log_odds_of(others);
    }
  }
  problem_.log_new.clear();
  for (int j = 0; j < fresh; ++j)
    problem_.log_new.push_back(state_.prior_.log_new_ratio(shared + j));
}

int Meibp::RowTerms::others(int i, int k) const {
  return state_.known_counts_.empty() ? counts_[k] - state_.z.at(i, k) : state_.known_counts_[k];
}

void Meibp::search(int turns, Rng& rng, const SearchBlock& search_block) {
  const Rng origin(rng());
  for (int turn = 0; turn < turns; ++turn) search_turn(turn, turns, origin, search_block);
}

void Meibp::search_turn(int turn, int turns, const Rng& rng, const SearchBlock& search_block) {
  RowTerms terms(*this);
  TreeSum effects;
  const auto has_turn = [&](int block) { return block % turns == turn; };
  data_->source.for_each(has_turn, [&](const RowBlock& block) {
    std::vector<Change> changes;
    Rng own = rng;
    own.begin(block.number);
    terms.begin();
    search_block(block, terms, own, changes);
    const Eigen::MatrixXd effect = this->effect(block, changes);
    effects.add(block.number, Eigen::VectorXd::Map(effect.data(), effect.size()));
  });
  const Eigen::VectorXd all = data_->team.sum(effects);
  const Eigen::Map<const Eigen::MatrixXd> effect(all.data(), data_->columns + 1, z.size());
  factor_.sums() += effect.topRows(data_->columns);
  for (int k = 0; k < z.size(); ++k)
    z.set_count(k, terms.before(k) + static_cast<int>(effect(data_->columns, k)));
}

void Meibp::search_rows(int turns, Rng& rng, const Check& check) {
  search(turns, rng, [&](const RowBlock& block, RowTerms& terms, Rng& own, auto& changes) {
    const Eigen::MatrixXd x_mean = scores(block, check);
    for (int n = 0; n < block.count; ++n) {
      if (n % chunk == 0) check();
      terms.search(block.first + n, x_mean.col(n), own, changes);
    }
  });
}

Eigen::MatrixXd Meibp::scores(const RowBlock& block, const Check& check) const {
  Eigen::MatrixXd scores(z.size(), block.count);
  const int tasks = (block.count + chunk - 1) / chunk;
  parallel_for(tasks, plan_.threads, [&](int t) {
    check();
    const int from = t * chunk, count = std::min(chunk, block.count - from);
    scores.middleCols(from, count) = block.x.times_rows(factor_.mean(), block.from + from, count);
  });
  return scores;
}

Eigen::MatrixXd Meibp::effect(const RowBlock& block, const std::vector<Change>& changes) const {
  const int columns = data_->columns, offset = block.from - block.first;
  Eigen::MatrixXd effect = Eigen::MatrixXd::Zero(columns + 1, z.size());
  for (const Change& c : changes) effect(columns, c.k) += c.by;
  if (block.x.is_sparse()) {
    for (const Change& c : changes) block.x.add(c.i + offset, c.by, effect.col(c.k).head(columns));
    return effect;
  }
  const bool many = changes.size() > 0.1 * block.count * double(z.size());
  Eigen::MatrixXd by;
  if (many) {
    by.setZero(block.count, z.size());
    for (const Change& c : changes) by(c.i - block.first, c.k) = c.by;
  }
  const int tasks = (columns + chunk - 1) / chunk;
  parallel_for(changes.empty() ? 0 : tasks, plan_.threads, [&](int t) {
    const int first = t * chunk, count = std::min(chunk, columns - first);
    const auto x = block.x.dense().middleRows(first, count);
    auto s = effect.middleRows(first, count);
    if (many)
      s.noalias() = x.middleCols(block.from, block.count) * by;
    else
      for (const Change& c : changes) s.col(c.k) += c.by * x.col(c.i + offset);
  });
  return effect;
}

Eigen::VectorXd Meibp::sum(const Bits& rows) const {
  TreeSum sums;
  data_->source.for_each([&](const RowBlock& block) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(data_->columns + 1);
    for (int n = 0; n < block.count; ++n)
      if (rows.at(block.first + n)) {
        block.x.add(block.from + n, 1, sum.head(data_->columns));
        ++sum(data_->columns);
      }
    sums.add(block.number, std::move(sum));
  });
  return data_->team.sum(sums);
}

HeldCounts Meibp::held() const {
  const auto& groups = data_->masks.groups();
  const bool complete = data_->masks.count_hidden() == 0;
  Team& team = data_->team;
  HeldCounts held{data_->rows(), shared_counts(z), {}};
  if (team.size() == 1) {
    if (!complete) held.hidden = [&](int group) { return hidden_counts(z, groups[group].hidden); };
    return held;
  }
  std::vector<Eigen::MatrixXd> own{held.shared};
  for (int k = 0; k < z.size(); ++k) own[0](k, k) = z.column(k).count();
  if (!complete)
    for (const auto& group : groups) own.push_back(hidden_counts(z, group.hidden));
  const auto all = std::make_shared<std::vector<Eigen::MatrixXd>>(sum_exactly(team, own));
  held.shared = all->front();
  if (!complete) held.hidden = [all](int group) { return all->at(group + 1); };
  return held;
}

void Meibp::update_alpha() {
  if (!alpha_.learned()) return;
  alpha_.update(z.size(), prior_.expected_features());
  prior_.set({std::exp(alpha_.mean_log()), prior_.concentration()});
}

}  // namespace buffet
