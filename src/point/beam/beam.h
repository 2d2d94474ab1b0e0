#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "beam_ahead.h"
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

  Beam(const BeamModel& model, BeamPlan plan)
      : model_(model), plan_(plan), order_(model.data.by_size()) {
    plan_.max_features = std::min(plan.max_features, model.prior.most_features());
    states_.resize(1);
    states_[0].p.resize(model.data.data().width(), 0);
    states_[0].moments.resize(model.data.size());
  }

  /// Those added so far, in their order.
  std::vector<int> rows() const { return {order_.begin(), order_.begin() + done_}; }
  bool finished() const { return done_ == model_.data.rows(); }
  /// The matrices that stay.
  int size() const { return static_cast<int>(states_.size()); }
  double score(int s) const { return states_[s].score; }
  int best() const {
    int best = 0;
    for (int s = 1; s < size(); ++s)
      if (score(s) > score(best)) best = s;
    return best;
  }
  /// Rows that are not yet added have nothing.
  Features matrix(int s) const {
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

  /// Adds the next row. `check` is called again and again; it may throw, and the row is not added.
  template <class Check>
  void step(Check check) {
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
  void propose(int s) {
    const BeamState& state = states_[s];
    BeamProblem problem;
    problem.variance = model_.variance;
    problem.groups = terms_[s];
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

  std::size_t considered() const {
    return (plan_.lookahead > 0 ? 2 : 1) * std::size_t(plan_.width);
  }

  /// What is below the last of those to be considered need not be found.
  void raise_floor() {
    if (candidates_.size() < considered()) return;
    keep_first(considered());
    floor_ = candidates_.back().score;
  }

  void keep_first(std::size_t count) {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
    if (candidates_.size() > count)
      candidates_.erase(candidates_.begin() + count, candidates_.end());
  }

  /// Of twice as many by their scores, by what the next rows would add as well.
  template <class Check>
  void keep_best(Check check) {
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

  /// The last candidate that needs a state takes it over.
  void add_row() {
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

  void grow(BeamState& state, const Candidate& c) {
    const std::vector<int> on = c.row.features(state.classes);
    state.score = c.score;
    state.moments =
        moments_with({c.row, model_, order_[done_], terms_[c.state]}, std::move(state.moments));
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

  BeamModel model_;
  BeamPlan plan_;
  std::vector<int> order_;  ///< in which rows are added
  int done_ = 0;
  double floor_ = 0;
  RowBeam row_beam_;
  std::vector<BeamState> states_;
  std::vector<Node> nodes_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<GroupTerms>> terms_;  ///< the next row, as each state sees it
};

}  // namespace buffet
