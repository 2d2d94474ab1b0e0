#include "row_beam.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "beam_ahead.h"
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

double FeatureClass::log_prob(int held) const {
  const double choices =
      size == 1 ? 0 : log_factorial(size) - log_factorial(held) - log_factorial(size - held);
  return choices + held * log_odds + size * log_off;
}

Assignment BeamProblem::none() const {
  Assignment a;
  a.held.assign(classes.size(), 0);
  for (const FeatureClass& one : classes) a.log_prior += one.log_prob(0);
  for (const GroupTerms& group : groups) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(group.c.size());
    a.at.push_back({0, group.square, zero, zero});
  }
  a.value = a.log_prior;
  for (std::size_t g = 0; g < groups.size(); ++g) a.value += log_density(g, 0, a.at[g].r);
  return a;
}

double BeamProblem::value(const Assignment& a, int q, int held) const {
  double sum = log_prior(a, q, held);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [t, r] = moved(a, q, held, g);
    sum += log_density(g, t, r);
  }
  return sum;
}

void BeamProblem::move(Assignment& a, int q, int held) const {
  if (held == a.held[q]) return;
  a.value = value(a, q, held);
  a.log_prior = log_prior(a, q, held);
  const auto [from, to] = std::minmax(a.held[q], held);
  const double by = held > a.held[q] ? 1 : -1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::tie(a.at[g].t, a.at[g].r) = moved(a, q, held, g);
    for (int k = classes[q].first + from; k < classes[q].first + to; ++k) {
      a.at[g].u += by * groups[g].moments->m.col(k);
      a.at[g].g += by * groups[g].moments->g.col(k);
    }
  }
  a.held[q] = held;
}

Assignment BeamProblem::climb() const {
  Assignment a = none();
  for (;;) {
    double best = a.value + 1e-9;
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

double BeamProblem::log_density(std::size_t g, double t, double r) const {
  const double spread = variance * (1 + t + from_new);
  return -0.5 * (groups[g].columns * fast_log(2 * M_PI * spread) + r / spread);
}

std::pair<double, double> BeamProblem::moved(const Assignment& a, int q, int held,
                                             std::size_t g) const {
  double t = a.at[g].t, r = a.at[g].r;
  const auto& [m, gram] = *groups[g].moments;
  const auto [from, to] = std::minmax(a.held[q], held);
  const double by = held > a.held[q] ? 1 : -1;
  for (int k = classes[q].first + from; k < classes[q].first + to; ++k) {
    t += 2 * by * a.at[g].u(k) + m(k, k);
    r += 2 * by * (a.at[g].g(k) - groups[g].c(k)) + gram(k, k);
    for (int l = classes[q].first + from; l < k; ++l) {
      t += 2 * m(k, l);
      r += 2 * gram(k, l);
    }
  }
  return {std::max(0.0, t), std::max(0.0, r)};
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
  for (int i : rows_) {
    std::vector<double> shared;
    for (int g : model.data.of_row(i)) shared.push_back(model.data.dot(x, i, g));
    shared_.push_back(std::move(shared));
  }
}

void BeamAhead::add(const BeamState& state) {
  std::vector<std::vector<GroupTerms>> known;
  for (int i : rows_) known.push_back(state.terms(model_, i));
  known_.push_back(std::move(known));
}

double BeamAhead::bonus(const Candidate& c) const {
  const bool room = c.state.size() + c.row.born < max_features_;
  std::vector<LoadingsMoments> moments =
      moments_with({c.row, model_, next_, c.terms}, c.state.moments);
  if (room)
    for (LoadingsMoments& one : moments) one.append(1 / model_.rho);
  BeamProblem problem;
  problem.variance = model_.variance;
  problem.classes = classes_after(c, room);
  const Step step = step_of(c);
  double sum = 0;
  for (std::size_t f = 0; f < rows_.size(); ++f) {
    problem.groups = known_[c.number][f];
    for (std::size_t n = 0; n < problem.groups.size(); ++n) {
      GroupTerms& terms = problem.groups[n];
      const int g = model_.data.of_row(rows_[f])[n];
      terms.moments = &moments[g];
      terms.c = c.row.with_new(terms.c);
      if (step.steps[g].size() > 0) {
        double rest = shared_[f][n];
        for (int k : step.on) rest -= terms.c(k);
        terms.c += rest * step.steps[g];
      }
      if (room) append_entry(terms.c, 0);
    }
    sum += problem.climb().value;
  }
  return sum;
}

BeamAhead::Step BeamAhead::step_of(const Candidate& c) const {
  Step step{c.row.features(c.state.classes), {}};
  step.steps.resize(model_.data.size());
  const auto& groups = model_.data.of_row(next_);
  for (std::size_t n = 0; n < groups.size(); ++n) {
    const GroupPosition at = c.row.position(static_cast<int>(n), model_.rho);
    step.steps[groups[n]] = at.u / (1 + at.t);
  }
  return step;
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
