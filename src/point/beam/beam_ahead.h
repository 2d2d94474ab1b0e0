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
  BeamAhead(const BeamModel& model, int done, const std::vector<int>& rows, int max_features);

  /// The states, in their order, before the next row.
  void add(const BeamState& state);

  struct Candidate {
    const BeamState& state;
    const std::vector<GroupTerms>& terms;
    const BeamRow& row;
    int number;  ///< of the state
  };

  double bonus(const Candidate& c) const;

 private:
  /// The features that the next row has, and w = u / (1 + t) of each group, none where it lacks
  /// it: mu becomes mu + (x - mu z) w'.
  struct Step {
    std::vector<int> on;
    std::vector<Eigen::VectorXd> steps;
  };
  Step step_of(const Candidate& c) const;

  /// Each feature alone; the last is a new one.
  std::vector<FeatureClass> classes_after(const Candidate& c, bool room) const;

  const BeamModel& model_;
  int done_, next_;
  std::vector<int> rows_;
  int max_features_;
  std::vector<std::vector<double>> shared_;
  std::vector<std::vector<std::vector<GroupTerms>>> known_;
};

}  // namespace buffet
