#include "row_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ascent_data.h"
#include "gaussian_residual.h"

namespace buffet {

bool RowMoments::enter(int pattern) {
  if (pattern == pattern_) return false;
  pattern_ = pattern;
  const std::vector<int>& hidden = masks_.hidden(pattern);
  observed_ = all_;
  if (!hidden.empty()) observed_ -= of_columns_(hidden);
  return true;
}

void RowState::climb() {
  while (best_flip() || best_swap()) {
  }
}

void RowState::climb(const RowState& top) {
  while (best_flip() || (!is_at(top) && best_swap())) {
  }
}

void RowState::local() {
  const int size = p_->size();
  set([](int) { return false; });
  if (size == 0) return;
  int first = 0;
  for (int k = 1; k < size; ++k)
    if (gain(k) > gain(first)) first = k;
  flip(first);
  do {
    while (best_flip_among(false)) {
    }
  } while (best_flip_among(true));
  RowState complement(*p_);
  complement.set([&](int k) { return !on(k); });
  if (complement.value_ > value_) *this = complement;
  RowState none(*p_);
  none.set([](int) { return false; });
  if (none.value_ > value_) *this = none;
}

void RowState::double_greedy(Rng& rng) {
  RowState y(*p_);
  set([](int) { return false; });
  y.set([](int) { return true; });
  for (int k = 0; k < p_->size(); ++k) {
    const double add = std::max(gain(k), 0.0), remove = std::max(y.gain(k), 0.0);
    if (add + remove == 0 || rng.uniform() * (add + remove) < add)
      flip(k);
    else
      y.flip(k);
  }
}

bool RowState::best_flip() {
  int best = -1;
  double most = least_gain;
  // If none of the features is new, the largest gain is found with vector instructions.
  if (p_->log_new.empty() && !(signs_ * gains_ > most).any()) return false;
  for (int k = 0; k < p_->size(); ++k)
    if (const double g = gain(k); g > most) {
      most = g;
      best = k;
    }
  if (best >= 0) flip(best);
  return best >= 0;
}

bool RowState::best_flip_among(bool on) {
  const double size = p_->size();
  int best = -1;
  double most = least_gain + tolerance / (size * size) * std::abs(value_);
  for (int k = 0; k < p_->size(); ++k)
    if (this->on(k) == on && gain(k) > most) {
      most = gain(k);
      best = k;
    }
  if (best >= 0) flip(best);
  return best >= 0;
}

bool RowState::best_swap() {
  const Swap best = p_->log_new.empty() ? best_swap_of_old() : best_swap_of_all();
  if (best.out < 0) return false;
  flip(best.out);
  flip(best.in);
  return true;
}

RowState::Swap RowState::best_swap_of_old() {
  Swap best;
  off_gains_ = gains_ + (signs_ - 1) * 1e300;
  for (int k = 0; k < p_->size(); ++k) {
    if (!on(k)) continue;
    const double g = (off_gains_ + p_->weights.col(k).array()).maxCoeff() - gains_(k);
    if (g > best.gain) best = {k, -1, g};
  }
  if (best.out >= 0) (off_gains_ + p_->weights.col(best.out).array()).maxCoeff(&best.in);
  return best;
}

RowState::Swap RowState::best_swap_of_all() const {
  Swap best;
  for (int k = 0; k < p_->size(); ++k) {
    if (!on(k)) continue;
    for (int l = 0; l < p_->size(); ++l)
      if (const double g = on(l) ? 0 : swap_gain(k, l); g > best.gain) best = {k, l, g};
  }
  return best;
}

double RowState::swap_gain(int out, int in) const {
  double gain = gains_(in) - gains_(out) + p_->weights(out, in);
  const int change = p_->fresh[in] - p_->fresh[out];
  if (change > 0) gain += p_->log_new[fresh_on_];
  if (change < 0) gain -= p_->log_new[fresh_on_ - 1];
  return gain;
}

RowSearch::RowSearch(const RowProblem& problem, RowRule rule)
    : best(problem), rule_(rule), other_(problem) {}

bool RowSearch::improve(Rng& rng) {
  const double before = best.value();
  if (rule_ == RowRule::climb) {
    best.climb();
    climb_from([](int) { return false; });
    climb_from([](int) { return true; });
  } else if (rule_ == RowRule::local) {
    other_.local();
    keep_better();
  } else {
    best.climb();
    other_.double_greedy(rng);
    other_.climb(best);
    keep_better();
  }
  return best.value() > before + 1e-9;
}

void RowSearch::keep_better() {
  if (other_.value() > best.value() + 1e-9) std::swap(best, other_);
}

Residual::Residual(const GaussianData& x, const AscentData& data, const Features& z,
                   const Eigen::MatrixXd& a)
    : x_(x), data_(data), masks_(data.masks), a_(a), held_(x.rows()) {
  for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { held_[i].push_back(k); });
}

Eigen::MatrixXd Residual::scores(const std::vector<int>& rows, const Eigen::MatrixXd& v) const {
  const Eigen::MatrixXd all = v.transpose() * a_;
  Eigen::MatrixXd shared = all, scores(v.cols(), rows.size());
  int pattern = -1;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const int i = rows[n];
    if (masks_.pattern_of(i) != pattern) {
      pattern = masks_.pattern_of(i);
      shared = all;
      for (int d : masks_.hidden(pattern)) shared -= v.row(d).transpose() * a_.row(d);
    }
    scores.col(n) = x_.times(v, i);
    for (int k : held_[i]) scores.col(n) -= shared.col(k);
  }
  return scores.transpose();
}

Eigen::MatrixXd Residual::sums(const std::vector<int>& rows, const Eigen::MatrixXd& weights) const {
  const Eigen::VectorXd all = sum_of_blocks(rows, [&](int from, int to) -> Eigen::VectorXd {
    const Eigen::MatrixXd sum = this->sums(rows, weights, {from, to});
    return Eigen::VectorXd::Map(sum.data(), sum.size());
  });
  return Eigen::MatrixXd::Map(all.data(), x_.width(), weights.cols());
}

template <class Term>
Eigen::VectorXd Residual::sum_of_blocks(const std::vector<int>& rows, Term term) const {
  TreeSum sums;
  int from = 0;
  data_.source.for_each([&](const RowBlock& block) {
    const auto end = std::lower_bound(rows.begin(), rows.end(), block.first + block.count);
    const int to = static_cast<int>(end - rows.begin());
    sums.add(block.number, term(from, to));
    from = to;
  });
  return data_.team.sum(sums);
}

double Residual::total(const std::vector<int>& rows, const Eigen::VectorXd& values) const {
  return sum_of_blocks(rows, [&](int from, int to) -> Eigen::VectorXd {
    return Eigen::VectorXd::Constant(1, values.segment(from, to - from).sum());
  })(0);
}

Eigen::MatrixXd Residual::sums(const std::vector<int>& rows, const Eigen::MatrixXd& weights,
                               std::pair<int, int> range) const {
  const auto size = weights.cols();
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(x_.width(), size);
  Eigen::MatrixXd held = Eigen::MatrixXd::Zero(a_.cols(), size), all = held;
  for (int n = range.first; n < range.second; ++n) {
    for (int c = 0; c < size; ++c)
      if (weights(n, c) != 0) x_.add(rows[n], weights(n, c), sums.col(c));
    for (int k : held_[rows[n]]) held.row(k) += weights.row(n);
    const int pattern = masks_.pattern_of(rows[n]);
    if (n + 1 < range.second && masks_.pattern_of(rows[n + 1]) == pattern) continue;
    for (int d : masks_.hidden(pattern)) sums.row(d) += a_.row(d) * held;
    all += held;
    held.setZero();
  }
  sums.noalias() -= a_ * all;
  return sums;
}

Eigen::MatrixXd Residual::observed(const std::vector<int>& rows,
                                   const Eigen::MatrixXd& weights) const {
  const Eigen::RowVectorXd all = weights.colwise().sum();
  Eigen::MatrixXd counts = all.replicate(x_.width(), 1);
  Eigen::RowVectorXd same = Eigen::RowVectorXd::Zero(weights.cols());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    same += weights.row(n);
    const int pattern = masks_.pattern_of(rows[n]);
    if (n + 1 < rows.size() && masks_.pattern_of(rows[n + 1]) == pattern) continue;
    for (int d : masks_.hidden(pattern)) counts.row(d) -= same;
    same.setZero();
  }
  return sum_exactly(data_.team, {counts}).front();
}

Eigen::MatrixXd Residual::squares(const std::vector<int>& rows, const Eigen::MatrixXd& v) const {
  const Eigen::RowVectorXd all = v.colwise().squaredNorm();
  Eigen::MatrixXd squares = all.replicate(rows.size(), 1);
  for (std::size_t n = 0; n < rows.size(); ++n)
    x_.for_hidden(rows[n], [&](int d) { squares.row(n) -= v.row(d).cwiseAbs2(); });
  return squares;
}

}  // namespace buffet
