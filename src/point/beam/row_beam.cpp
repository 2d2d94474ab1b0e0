#include "row_beam.h"

#include <algorithm>
#include <cmath>

#include "beam_state.h"
#include "core/fast_log.h"
#include "core/resize.h"
#include "core/special.h"

namespace buffet {

Sequential::Sequential(const Exchangeable::Spec& spec, int rows) : spec_(spec) {
  const double c = spec.concentration.value, d = spec.discount;
  on_ = finite() ? spec.alpha.value * c / spec.n_features : -d;
  off_ = finite() ? c : c + d;
  double rate = 1;
  rates_.assign(1, 0);
  for (int n = 1; n <= rows; ++n) {
    log_rates_.push_back(std::log(rate));
    rates_.push_back(rates_.back() + rate);
    rate *= (n - 1 + c + d) / (n + c);
  }
}

double Sequential::log_new(int n, int size, int j) const {
  if (!finite())
    return log_alpha(n + 1, size + j) - log_alpha(n, size) + j * log_rates_[n] - log_factorial(j);
  const int unused = spec_.n_features - size;
  if (j > unused) return -std::numeric_limits<double>::infinity();
  return log_factorial(unused) - log_factorial(j) - log_factorial(unused - j) + j * log_odds(n, 0) +
         unused * log_off(n, 0);
}

double Sequential::log_alpha(int n, int size) const {
  const Hyper& h = spec_.alpha;
  if (!h.learned) return size * std::log(h.value) - h.value * rates_[n];
  return h.shape * std::log(h.rate) - log_gamma(h.shape) + log_gamma(h.shape + size) -
         (h.shape + size) * std::log(h.rate + rates_[n]);
}

RowGroups::RowGroups(const Eigen::ArrayXd& counts)
    : has((counts > 0).cast<double>()), alone((counts == 1).cast<double>()), columns(counts.sum()) {
  for (Eigen::Index g = 0; g < counts.size(); ++g)
    if (counts(g) > 1) wide.emplace_back(static_cast<int>(g), counts(g));
}

double RowGroups::sum_log(const Eigen::ArrayXd& s) const {
  double sum = 0;
  for (const auto& [g, count] : wide) sum += count * fast_log(s(g));
  if (static_cast<Eigen::Index>(wide.size()) == s.size()) return sum;
  constexpr Eigen::Index most = 8;  // for products of factors up to 1e38
  for (Eigen::Index from = 0; from < s.size(); from += most) {
    const Eigen::Index size = std::min(most, s.size() - from);
    sum += fast_log((1 + alone.segment(from, size) * (s.segment(from, size) - 1)).prod());
  }
  return sum;
}

double FeatureClass::log_prob(int held) const {
  const double choices =
      size == 1 ? 0 : log_factorial(size) - log_factorial(held) - log_factorial(size - held);
  return choices + held * log_odds + size * log_off;
}

Assignment BeamProblem::none() const {
  Assignment a;
  a.held.assign(classes.size(), 0);
  for (const FeatureClass& one : classes) a.log_prior += one.log_prob(0);
  a.at = GroupPositions::none(row.squares, row.c.cols());
  a.value = a.log_prior + log_density(a.at.t, a.at.r);
  return a;
}

double BeamProblem::value(const Assignment& a, int q, int held) const {
  try_move(a, q, held);
  return log_prior(a, q, held) + log_density(t_, r_);
}

void BeamProblem::move(Assignment& a, int q, int held) const {
  if (held == a.held[q]) return;
  a.value = value(a, q, held);
  a.log_prior = log_prior(a, q, held);
  const auto [from, to] = std::minmax(a.held[q], held);
  const double by = held > a.held[q] ? 1 : -1;
  a.at.t = t_;
  a.at.r = r_;
  for (int k = classes[q].first + from; k < classes[q].first + to; ++k) {
    a.at.u += by * row.moments->m(k);
    a.at.g += by * row.moments->g(k);
  }
  a.held[q] = held;
}

Assignment BeamProblem::climb() const {
  Assignment a = none();
  for (;;) {
    // A margin above rounding error, which avoids cycles.
    double best = a.value + 1e-9 * (1 + std::abs(a.value));
    int class_of = -1, held_of = 0;
    for (int q = 0; q < static_cast<int>(classes.size()); ++q)
      for (int held : {a.held[q] - 1, a.held[q] + 1}) {
        if (held < 0 || held > classes[q].size) continue;
        if (const double v = value(a, q, held); v > best) {
          best = v;
          class_of = q;
          held_of = held;
        }
      }
    if (class_of < 0) return a;
    move(a, class_of, held_of);
  }
}

double BeamProblem::log_prior(const Assignment& a, int q, int held) const {
  return a.log_prior + classes[q].log_prob(held) - classes[q].log_prob(a.held[q]);
}

double BeamProblem::log_density(const Eigen::ArrayXd& t, const Eigen::ArrayXd& r) const {
  spread_ = t + (1 + from_new);
  const double distance = (row.groups.has * r / spread_).sum() / variance_;
  return -0.5 * (row.groups.columns * log_unit_ + row.groups.sum_log(spread_) + distance);
}

void BeamProblem::try_move(const Assignment& a, int q, int held) const {
  const GroupMoments& moments = *row.moments;
  const auto [from, to] = std::minmax(a.held[q], held);
  const double by = held > a.held[q] ? 2 : -2;
  const int first = classes[q].first + from, end = classes[q].first + to;
  for (int k = first; k < end; ++k) {
    for (int l = first; l < k; ++l) {
      t_ += 2 * moments.m(k, l);
      r_ += 2 * moments.g(k, l);
    }
    t_ = ((k == first ? a.at.t : t_) + by * a.at.u.col(k).array() + moments.m(k, k)).max(0.0);
    r_ =
        ((k == first ? a.at.r : r_) + by * (a.at.g.col(k) - row.c.col(k)).array() + moments.g(k, k))
            .max(0.0);
  }
}

void RowBeam::search(const BeamProblem& problem, int width, double floor) {
  Assignment from = problem.climb();
  for (int round = 0; round < most_rounds; ++round) {
    spread(problem, from, {width, floor});
    const Assignment& best = *std::max_element(now_.begin(), now_.begin() + size_, less);
    if (width == no_limit || !(best.value > from.value + 1e-9)) return;
    from = best;
  }
}

void RowBeam::spread(const BeamProblem& problem, const Assignment& from, Limits limits) {
  size_ = 1;
  now_.resize(std::max<std::size_t>(now_.size(), 1));
  now_[0] = from;
  for (int q = 0; q < static_cast<int>(problem.classes.size()); ++q) {
    options_.clear();
    for (int s = 0; s < size_; ++s)
      for (int held = 0; held <= problem.classes[q].size; ++held) {
        const bool moves = held != now_[s].held[q];
        const double value = moves ? problem.value(now_[s], q, held) : now_[s].value;
        if (!moves || value >= limits.floor) options_.push_back({value, s, held});
      }
    keep_best(limits.width);
    size_ = static_cast<int>(options_.size());
    if (next_.size() < options_.size()) next_.resize(options_.size());
    for (int s = 0; s < size_; ++s) {
      next_[s] = now_[options_[s].parent];
      problem.move(next_[s], q, options_[s].held);
    }
    std::swap(now_, next_);
  }
}

void RowBeam::keep_best(int width) {
  if (static_cast<int>(options_.size()) <= width) return;
  std::partial_sort(options_.begin(), options_.begin() + width, options_.end(),
                    [](const Option& a, const Option& b) {
                      if (a.value != b.value) return a.value > b.value;
                      return std::make_pair(a.parent, a.held) < std::make_pair(b.parent, b.held);
                    });
  options_.resize(width);
}

BeamAhead::BeamAhead(const BeamModel& model, int done, const std::vector<int>& rows,
                     int max_features)
    : model_(model),
      done_(done),
      next_(rows.front()),
      rows_(rows.begin() + 1, rows.end()),
      max_features_(max_features) {
  const Eigen::VectorXd x = model.data.row(next_);
  for (int i : rows_) shared_.push_back(model.data.times(x, i));
}

void BeamAhead::add(const BeamState& state) {
  std::vector<RowTerms> known;
  for (int i : rows_) known.push_back(state.terms(model_, i));
  known_.push_back(std::move(known));
}

double BeamAhead::bonus(const Candidate& c) const {
  const bool room = c.state.size() + c.row.born < max_features_;
  GroupMoments moments = moments_with({c.row, model_, c.terms}, c.state.moments);
  if (room) moments.append(1, 1 / model_.rho);
  BeamProblem problem(model_.variance);
  problem.classes = classes_after(c, room);
  const std::vector<int> on = c.row.features(c.state.classes);
  const GroupPositions at = c.row.position(model_.rho);
  const Eigen::ArrayXd by = c.terms.groups.has / (1 + at.t);
  double sum = 0;
  for (std::size_t f = 0; f < rows_.size(); ++f) {
    problem.row = known_[c.number][f];
    problem.row.moments = &moments;
    Eigen::MatrixXd& other = problem.row.c;
    other = c.row.with_new(std::move(other));
    Eigen::ArrayXd residual = shared_[f];
    for (int k : on) residual -= other.col(k).array();
    other += (residual * by).matrix().asDiagonal() * at.u;
    if (room) append_column(other, Eigen::VectorXd::Zero(other.rows()));
    sum += problem.climb().value;
  }
  return sum;
}

std::vector<FeatureClass> BeamAhead::classes_after(const Candidate& c, bool room) const {
  std::vector<int> counts = c.state.counts;
  counts.resize(counts.size() + c.row.born, 0);
  for (int k : c.row.features(c.state.classes)) ++counts[k];
  const Sequential& prior = model_.prior;
  const int n = done_ + 1, size = static_cast<int>(counts.size());
  std::vector<FeatureClass> classes;
  for (int k = 0; k < size; ++k)
    classes.push_back({k, 1, prior.log_odds(n, counts[k]), prior.log_off(n, counts[k])});
  const double none = prior.log_new(n, size, 0);
  if (room) classes.push_back({size, 1, prior.log_new(n, size, 1) - none, none});
  return classes;
}

}  // namespace buffet
