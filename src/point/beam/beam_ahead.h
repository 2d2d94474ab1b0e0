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
    const RowTerms& terms;
    const BeamRow& row;
    int number;  ///< of the state
  };

  /// With the next row, mu becomes mu + (x - mu z) u' / (1 + t), and c with it.
  double bonus(const Candidate& c) const;

 private:
  /// Each feature alone; the last is a new one.
  std::vector<FeatureClass> classes_after(const Candidate& c, bool room) const;

  const BeamModel& model_;
  int done_, next_;
  std::vector<int> rows_;
  int max_features_;
  std::vector<Eigen::ArrayXd> shared_;        ///< x' of each of the rows, x the next one
  std::vector<std::vector<RowTerms>> known_;  ///< of each state, those of each of the rows
};

}  // namespace buffet
