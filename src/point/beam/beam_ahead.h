#pragma once

#include <Eigen/Dense>
#include <vector>

#include "beam_state.h"

namespace buffet {

/// What some rows after the next would add at best to the score: each given the rows up to the next
/// alone, with the assignment that climbing finds and a new feature or none.
class BeamAhead {
 public:
  /// `rows`: the next, after `done` others, and those after it.
  BeamAhead(const BeamModel& model, int done, const std::vector<int>& rows, int max_features)
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

  /// The states, in their order, before the next row.
  void add(const BeamState& state) {
    std::vector<std::vector<GroupTerms>> known;
    for (int i : rows_) known.push_back(state.terms(model_, i));
    known_.push_back(std::move(known));
  }

  struct Candidate {
    const BeamState& state;
    const std::vector<GroupTerms>& terms;
    const BeamRow& row;
    int number;  ///< of the state
  };

  double bonus(const Candidate& c) const {
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

 private:
  /// The features that the next row has, and w = u / (1 + t) of each group, none where it lacks
  /// it: mu becomes mu + (x - mu z) w'.
  struct Step {
    std::vector<int> on;
    std::vector<Eigen::VectorXd> steps;
  };
  Step step_of(const Candidate& c) const {
    Step step{c.row.features(c.state.classes), {}};
    step.steps.resize(model_.data.size());
    const auto& groups = model_.data.of_row(next_);
    for (std::size_t n = 0; n < groups.size(); ++n) {
      const GroupPosition at = c.row.position(static_cast<int>(n), model_.rho);
      step.steps[groups[n]] = at.u / (1 + at.t);
    }
    return step;
  }

  /// Each feature alone; the last is a new one.
  std::vector<FeatureClass> classes_after(const Candidate& c, bool room) const {
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

  const BeamModel& model_;
  int done_, next_;
  std::vector<int> rows_;
  int max_features_;
  std::vector<std::vector<double>> shared_;
  std::vector<std::vector<std::vector<GroupTerms>>> known_;
};

}  // namespace buffet
