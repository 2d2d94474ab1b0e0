#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/rng.h"

namespace buffet {

/// The problem of choosing the features of one row given everything else: maximise over sets of
/// features sum_k linear_k - sum_{k<l} weights_kl + sum_{j < new features in the set} log_new_j,
/// a submodular function because the weights are nonnegative and log_new decreases: Reed &
/// Ghahramani (2013) eq. 19, with its indicator corrected.
struct RowProblem {
  Eigen::VectorXd linear;   ///< contribution of feature k on its own
  Eigen::MatrixXd weights;  ///< K x K, symmetric, 0 on the diagonal
  std::vector<char> fresh;  ///< true for features that no other row has
  std::vector<double> log_new;

  int size() const { return static_cast<int>(linear.size()); }
};

/// How a row is searched; the objective at the end is never below its initial value.
enum class RowRule {
  climb,         ///< steepest flips, then the best swap, from three sets: current, none, all
  local,         ///< the local search of Feige, Mirrokni & Vondrak, as published
  double_greedy  ///< Buchbinder et al. (2012), then flips and swaps
};

/// A set of features of a row, with the gain of every change.
class RowState {
 public:
  explicit RowState(const RowProblem& problem) : p_(&problem) {}

  /// Starts from the set of features k for which is_on(k) is true.
  template <class F>
  void set(F is_on) {
    const int size = p_->size();
    signs_.setOnes(size);
    gains_ = p_->linear;
    fresh_on_ = 0;
    value_ = 0;
    for (int k = 0; k < size; ++k)
      if (is_on(k)) flip(k);
  }

  bool on(int k) const { return signs_(k) < 0; }
  double value() const { return value_; }

  /// Gain from flipping feature k.
  double gain(int k) const {
    double gain = gains_(k);
    if (p_->fresh[k]) gain += p_->log_new[fresh_on_ - on(k)];
    return signs_(k) * gain;
  }

  void flip(int k) {
    value_ += gain(k);
    gains_ -= signs_(k) * p_->weights.col(k).array();
    fresh_on_ += static_cast<int>(signs_(k)) * p_->fresh[k];
    signs_(k) = -signs_(k);
  }

  /// Flips and swaps until no change improves the objective.
  void climb();
  /// Flips and swaps until no change improves the objective. There is nothing to gain if the state
  /// equals `top`.
  void climb(const RowState& top);

  /// The local search: starts from the best single feature, then adds and removes features one by
  /// one while the gain exceeds a tolerance; finally takes the complement, if it is better.
  void local();

  /// The randomised double greedy search: X grows from the empty set and Y shrinks from the set of
  /// all features until they meet.
  void double_greedy(Rng& rng);

 private:
  static constexpr double least_gain = 1e-9, tolerance = 0.01;

  bool best_flip();

  /// The best addition or removal with a gain above the tolerance of the local search.
  bool best_flip_among(bool on);

  bool is_at(const RowState& other) const { return (signs_ == other.signs_).all(); }

  /// Removes one feature and adds another one.
  struct Swap {
    int out = -1, in = -1;
    double gain = least_gain;
  };

  bool best_swap();

  /// If none of the features is new, this also uses vector instructions.
  Swap best_swap_of_old();

  Swap best_swap_of_all() const;

  double swap_gain(int out, int in) const;

  const RowProblem* p_;
  Eigen::ArrayXd signs_;      ///< -1 for the features that are on, 1 for the others
  Eigen::ArrayXd gains_;      ///< gain from switching on, without log_new
  Eigen::ArrayXd off_gains_;  ///< gain for features that are off, a very low value for others
  int fresh_on_ = 0;
  double value_ = 0;
};

/// Searches from the current features of the row. Returns true if it finds a better set, which is
/// then stored in `best`.
class RowSearch {
 public:
  RowSearch(const RowProblem& problem, RowRule rule);

  RowState best;

  template <class F>
  bool improve(F is_on, Rng& rng) {
    best.set(is_on);
    return improve(rng);
  }

 private:
  bool improve(Rng& rng);

  template <class F>
  void climb_from(F is_on) {
    other_.set(is_on);
    other_.climb(best);
    keep_better();
  }
  void keep_better();

  RowRule rule_;
  RowState other_;
};

}  // namespace buffet
