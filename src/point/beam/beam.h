#pragma once

#include <vector>

#include "beam_state.h"
#include "core/check.h"
#include "core/features.h"

namespace buffet {

struct BeamPlan {
  int width = 10;  ///< RowBeam::no_limit: everything stays
  int max_features = 20;
  int lookahead = 5;  ///< rows to come that decide with
};

/// Beam search (Rai & Daume 2011): rows are added one after the other, and of the matrices of the
/// rows so far those stay whose left-ordered class is most probable together with the data of these
/// rows, log P([Z]) + log p(X | Z), and with what the next rows would add at best. Rows come in the
/// order of their sizes: small ones have few features, which later ones are then found to combine.
class Beam {
 public:
  static constexpr int too_many = 100000;

  Beam(const BeamModel& model, BeamPlan plan);

  /// Those added so far, in their order.
  std::vector<int> rows() const { return {order_.begin(), order_.begin() + done_}; }
  bool finished() const { return done_ == model_.data.rows(); }
  /// The matrices that stay.
  int size() const { return static_cast<int>(states_.size()); }
  double score(int s) const { return states_[s].score; }
  int best() const;
  /// Rows that are not yet added have nothing.
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

  /// With no new feature, with one, and so on until another makes it worse.
  void propose(int s);

  std::size_t considered() const;

  /// What is below the last of those to be considered need not be found.
  void raise_floor();

  void keep_first(std::size_t count);

  /// Of twice as many by their scores, by what the next rows would add as well.
  void keep_best(const Check& check);

  /// The last candidate that needs a state takes it over.
  void add_row();

  void grow(BeamState& state, const Candidate& c);

  BeamModel model_;
  BeamPlan plan_;
  std::vector<int> order_;  ///< in which rows are added
  int done_ = 0;
  double floor_ = 0;
  RowBeam row_beam_;
  std::vector<BeamState> states_;
  std::vector<Node> nodes_;
  std::vector<Candidate> candidates_;
  std::vector<RowTerms> terms_;  ///< the next row, as each state sees it
};

}  // namespace buffet
