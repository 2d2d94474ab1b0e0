#include "meibp.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"

namespace buffet {

Meibp::Meibp(const AscentData& data, const MeibpPlan& plan, const Exchangeable& prior,
             Precisions precisions)
    : z(data.rows()),
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
  factor_.append(sum(column), loading);
  z.add(std::move(column));
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
  factor_.update(z, data_->total, passes, plan_.threads);
  update_alpha();
  bound_ = factor_.bound(data_->observed()) + prior_.log_evidence(z);
}

void Meibp::iterate(Rng& rng, const Check& check) {
  search_rows(rng, check);
  drop_empty();
  settle(passes());
}

Passes Meibp::passes() const {
  return data_->rows() < 20000 ? Passes{20, 0.05, 0.01} : Passes{100, 0.001, 0.01};
}

void Meibp::search_some(const std::vector<int>& rows, Rng& rng, const Check& check) {
  RowTerms terms(*this);
  data_->source.for_each([&](int from, const GaussianData& block) {
    std::vector<Change> changes;
    for (int i : rows) {
      if (i < from || i >= from + block.rows()) continue;
      check();
      terms.search(i, block.times(factor_.mean(), i - from), rng, changes);
    }
    add_changes(block, from, changes);
  });
}

void Meibp::place(const Known& known, Rng& rng, const Check& check) {
  factor_.adopt(known.mean, known.variance);
  factor_.start_precisions(known.tau_x, known.tau_a);
  z = Features(z.rows());
  for (std::size_t k = 0; k < known.counts.size(); ++k) z.add(Bits(z.rows()));
  known_counts_ = known.counts;
  search_rows(rng, check);
  known_counts_.clear();
}

Meibp::RowTerms::RowTerms(Meibp& state)
    : state_(state),
      search_(problem_, state.plan_.rule),
      moments_(state.factor_, state.data_->masks) {
  problem_.fresh.resize(state_.z.size());
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
    changes.push_back({i, k, z.at(i, k) ? -1 : 1});
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
    const int others = state_.others(i, k);
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

int Meibp::others(int i, int k) const {
  return known_counts_.empty() ? z.count_without(i, k) : known_counts_[k];
}

void Meibp::search_rows(Rng& rng, const Check& check) {
  RowTerms terms(*this);
  data_->source.for_each([&](int from, const GaussianData& block) {
    const Eigen::MatrixXd x_mean = scores(block, check);
    std::vector<Change> changes;
    for (int i = 0; i < block.rows(); ++i) {
      if (i % chunk == 0) check();
      terms.search(from + i, x_mean.col(i), rng, changes);
    }
    add_changes(block, from, changes);
  });
}

Eigen::MatrixXd Meibp::scores(const GaussianData& block, const Check& check) const {
  Eigen::MatrixXd scores(z.size(), block.rows());
  const int tasks = (block.rows() + chunk - 1) / chunk;
  parallel_for(tasks, plan_.threads, [&](int t) {
    check();
    const int from = t * chunk, count = std::min(chunk, block.rows() - from);
    scores.middleCols(from, count) = block.times_rows(factor_.mean(), from, count);
  });
  return scores;
}

void Meibp::add_changes(const GaussianData& block, int from, const std::vector<Change>& changes) {
  if (changes.empty()) return;
  auto& sums = factor_.sums();
  if (block.is_sparse()) {
    for (const Change& c : changes) block.add(c.i - from, c.by, sums.col(c.k));
    return;
  }
  const bool many = changes.size() > 0.1 * block.rows() * double(z.size());
  Eigen::MatrixXd by;
  if (many) {
    by.setZero(block.rows(), z.size());
    for (const Change& c : changes) by(c.i - from, c.k) = c.by;
  }
  const int tasks = (data_->columns + chunk - 1) / chunk;
  parallel_for(tasks, plan_.threads, [&](int t) {
    const int first = t * chunk, count = std::min(chunk, data_->columns - first);
    const auto x = block.dense().middleRows(first, count);
    auto s = sums.middleRows(first, count);
    if (many)
      s.noalias() += x * by;
    else
      for (const Change& c : changes) s.col(c.k) += c.by * x.col(c.i - from);
  });
}

Eigen::VectorXd Meibp::sum(const Bits& rows) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(data_->columns);
  data_->source.for_each([&](int from, const GaussianData& block) {
    for (int i = 0; i < block.rows(); ++i)
      if (rows.at(from + i)) block.add(i, 1, sum);
  });
  return sum;
}

void Meibp::update_alpha() {
  if (!alpha_.learned()) return;
  alpha_.update(z.size(), prior_.expected_features());
  prior_.set({std::exp(alpha_.mean_log()), prior_.concentration()});
}

}  // namespace buffet
