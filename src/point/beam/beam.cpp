#include "beam.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/resize.h"

namespace buffet {

GroupedData::GroupedData(const GaussianData& data)
    : data_(data), masks_(data.rows(), data.width()) {
  masks_.add(data);
  masks_.finish();
}

Eigen::ArrayXd GroupedData::counts(int i) const {
  Eigen::ArrayXd counts(size());
  for (int g = 0; g < size(); ++g) counts(g) = hidden(g).at(i) ? 0 : count(g);
  return counts;
}

std::vector<int> GroupedData::by_size() const {
  std::vector<int> order(rows());
  std::iota(order.begin(), order.end(), 0);
  const auto size = [&](int i) {
    return data_.observed(i) > 0 ? data_.square(i) / data_.observed(i)
                                 : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return size(i) < size(j); });
  return order;
}

Eigen::MatrixXd GroupedData::times(const Eigen::MatrixXd& p, int i) const {
  if (size() == 1) return data_.times(p, i).transpose();
  const Eigen::VectorXd x = row(i);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(size(), p.cols());
  for (Eigen::Index k = 0; k < p.cols(); ++k)
    for (int g = 0; g < size(); ++g)
      for (int d : columns(g)) sums(g, k) += x(d) * p(d, k);
  return sums;
}

Eigen::ArrayXd GroupedData::squares(int i) const {
  if (size() == 1) return Eigen::ArrayXd::Constant(1, data_.square(i));
  return times(row(i), i);
}

Eigen::VectorXd GroupedData::row(int i) const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(data_.width());
  data_.add(i, 1, x);
  return x;
}

RowTerms BeamState::terms(const BeamModel& model, int i) const {
  return {RowGroups(model.data.counts(i)), model.data.squares(i),
          moments.times_m(model.data.times(p, i)), &moments};
}

std::vector<FeatureClass> BeamState::feature_classes(const Sequential& prior, int n) const {
  std::vector<FeatureClass> all;
  int first = 0;
  for (int size : classes) {
    all.push_back({first, size, prior.log_odds(n, counts[first]), prior.log_off(n, counts[first])});
    first += size;
  }
  return all;
}

std::vector<int> BeamRow::features(const std::vector<int>& classes) const {
  std::vector<int> on;
  int first = 0;
  for (std::size_t q = 0; q < classes.size(); ++q) {
    for (int k = 0; k < of.held[q]; ++k) on.push_back(first + k);
    first += classes[q];
  }
  for (int k = 0; k < born; ++k) on.push_back(first + k);
  return on;
}

std::vector<int> BeamRow::split(const std::vector<int>& classes) const {
  std::vector<int> parts;
  for (std::size_t q = 0; q < classes.size(); ++q)
    for (int part : {of.held[q], classes[q] - of.held[q]})
      if (part > 0) parts.push_back(part);
  if (born > 0) parts.push_back(born);
  return parts;
}

GroupPositions BeamRow::position(double rho) const {
  GroupPositions at = of.at;
  at.t += born / rho;
  at.g = with_new(std::move(at.g));
  at.u = with_new(std::move(at.u));
  at.u.rightCols(born).setConstant(1 / rho);
  return at;
}

Eigen::MatrixXd BeamRow::with_new(Eigen::MatrixXd c) const {
  c.conservativeResize(Eigen::NoChange, c.cols() + born);
  c.rightCols(born).setZero();
  return c;
}

GroupMoments moments_with(const AddedRow& added, GroupMoments moments) {
  const auto& [row, model, terms] = added;
  moments.append(row.born, 1 / model.rho);
  moments.learn(row.position(model.rho), row.with_new(terms.c), terms.groups.has);
  return moments;
}

Beam::Beam(const BeamModel& model, BeamPlan plan)
    : model_(model), plan_(plan), order_(model.data.by_size()) {
  plan_.max_features = std::min(plan.max_features, model.prior.most_features());
  states_.resize(1);
  states_[0].p.resize(model.data.data().width(), 0);
  states_[0].moments = GroupMoments(model.data.size());
}

int Beam::best() const {
  int best = 0;
  for (int s = 1; s < size(); ++s)
    if (score(s) > score(best)) best = s;
  return best;
}

Features Beam::matrix(int s) const {
  const int rows = model_.data.rows();
  std::vector<Bits> columns(states_[s].size(), Bits(rows));
  int n = done_;
  for (int node = states_[s].node; node >= 0; node = nodes_[node].parent) {
    --n;
    for (int k : nodes_[node].on) columns[k].set(order_[n]);
  }
  Features z(rows);
  for (Bits& column : columns) z.add(std::move(column));
  return z;
}

void Beam::step(const Check& check) {
  candidates_.clear();
  floor_ = -std::numeric_limits<double>::infinity();
  terms_.clear();
  for (int s = 0; s < size(); ++s) {
    check();
    terms_.push_back(states_[s].terms(model_, order_[done_]));
    propose(s);
  }
  if (limited()) keep_best(check);
  add_row();
  ++done_;
}

void Beam::propose(int s) {
  const BeamState& state = states_[s];
  BeamProblem problem(model_.variance);
  problem.row = terms_[s];
  problem.classes = state.feature_classes(model_.prior, done_);
  double before = -std::numeric_limits<double>::infinity();
  for (int born = 0; born <= plan_.max_features - state.size(); ++born) {
    problem.from_new = born / model_.rho;
    const double known = state.score + model_.prior.log_new(done_, state.size(), born);
    row_beam_.search(problem, plan_.width, floor_ - known);
    double best = -std::numeric_limits<double>::infinity();
    for (int a = 0; a < row_beam_.size(); ++a) {
      const double score = known + row_beam_[a].value;
      best = std::max(best, score);
      candidates_.push_back({score, score, s, {row_beam_[a], born}});
    }
    if (limited()) raise_floor();
    if (limited() && best < before) return;
    before = best;
    if (static_cast<int>(candidates_.size()) > too_many)
      throw std::runtime_error("`width` = Inf keeps more than 100,000 matrices.");
  }
}

std::size_t Beam::considered() const {
  return (plan_.lookahead > 0 ? 2 : 1) * std::size_t(plan_.width);
}

void Beam::raise_floor() {
  if (candidates_.size() < considered()) return;
  keep_first(considered());
  floor_ = candidates_.back().score;
}

void Beam::keep_first(std::size_t count) {
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
  if (candidates_.size() > count) candidates_.erase(candidates_.begin() + count, candidates_.end());
}

void Beam::keep_best(const Check& check) {
  const std::size_t width = plan_.width;
  const int ahead = std::min(plan_.lookahead, model_.data.rows() - done_ - 1);
  if (ahead > 0 && candidates_.size() > width) {
    keep_first(considered());
    const auto next = order_.begin() + done_;
    BeamAhead rows(model_, done_, {next, next + 1 + ahead}, plan_.max_features);
    for (const BeamState& state : states_) rows.add(state);
    for (Candidate& c : candidates_) {
      check();
      c.rank += rows.bonus({states_[c.state], terms_[c.state], c.row, c.state});
    }
  }
  keep_first(width);
}

void Beam::add_row() {
  std::vector<int> uses(size(), 0);
  for (const Candidate& c : candidates_) ++uses[c.state];
  std::vector<BeamState> next;
  for (const Candidate& c : candidates_) {
    BeamState state = --uses[c.state] > 0 ? states_[c.state] : std::move(states_[c.state]);
    grow(state, c);
    next.push_back(std::move(state));
  }
  states_ = std::move(next);
}

void Beam::grow(BeamState& state, const Candidate& c) {
  const std::vector<int> on = c.row.features(state.classes);
  state.score = c.score;
  state.moments = moments_with({c.row, model_, terms_[c.state]}, std::move(state.moments));
  state.p.conservativeResize(Eigen::NoChange, state.size() + c.row.born);
  state.p.rightCols(c.row.born).setZero();
  state.counts.resize(state.size() + c.row.born, 0);
  for (int k : on) {
    model_.data.data().add(order_[done_], 1, state.p.col(k));
    ++state.counts[k];
  }
  state.classes = c.row.split(state.classes);
  nodes_.push_back({state.node, on});
  state.node = static_cast<int>(nodes_.size()) - 1;
}

}  // namespace buffet
