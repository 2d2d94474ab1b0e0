#pragma once

#include <vector>

#include "beam_state.h"
#include "core/check.h"
#include "core/features.h"

namespace buffet {

struct BeamPlan {
  int width = 10;  ///< RowBeam::no_limit: all matrices are kept
  int max_features = 20;
  int lookahead = 5;  ///< number of later rows taken into account
};

/// Beam search (Rai & Daume 2011): rows are added one after the other. Among the matrices for the
/// rows so far, the search keeps those with the highest score: the joint log probability of the
/// left-ordered class and the data of these rows, log P([Z]) + log p(X | Z), plus the most that the
/// next rows could add. Rows are added by increasing size: small rows have few features, which
/// later rows are then found to combine.
class Beam {
 public:
  static constexpr int too_many = 100000;

  Beam(const BeamModel& model, BeamPlan plan);

  /// Rows added so far, in the order in which they were added.
  std::vector<int> rows() const { return {order_.begin(), order_.begin() + done_}; }
  bool finished() const { return done_ == model_.data.rows(); }
  /// Number of matrices kept.
  int size() const { return static_cast<int>(states_.size()); }
  double score(int s) const { return states_[s].score; }
  int best() const;
  /// Rows that have not yet been added have no features.
  Features matrix(int s) const;

  /// Adds the next row. `check` is called repeatedly; if it throws, the row is not added.
  void step(const Check& check);

 private:
  struct Node {
    int parent;
    std::vector<int> on;
  };
  struct Candidate {
    double score, rank;
    int state;
    BeamRow row;
  };

  bool limited() const { return plan_.width != RowBeam::no_limit; }

  /// Proposes rows with no new feature, with one new feature, and so on until one more lowers the
  /// score.
  void propose(int s);

  std::size_t considered() const;

  /// Candidates that score below the last one under consideration need not be found.
  void raise_floor();

  void keep_first(std::size_t count);

  /// Selects twice as many candidates by their scores, then the best of these after adding the
  /// contribution of the next rows.
  void keep_best(const Check& check);

  /// The last candidate that extends a state reuses its memory.
  void add_row();

  void grow(BeamState& state, const Candidate& c);

  BeamModel model_;
  BeamPlan plan_;
  std::vector<int> order_;  ///< the order in which rows are added
  int done_ = 0;
  double floor_ = 0;
  RowBeam row_beam_;
  std::vector<BeamState> states_;
  std::vector<Node> nodes_;
  std::vector<Candidate> candidates_;
  std::vector<RowTerms> terms_;  ///< the next row, given each state
};

}  // namespace buffet
