#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/rng.h"

namespace buffet {

/// The features of one row, all else given: maximise over sets of features
///   sum_k linear_k - sum_{k<l} weights_kl + sum_{j < new features in the set} log_new_j,
/// a submodular function because the weights are not negative and log_new falls: Reed & Ghahramani
/// (2013) eq. 19, with its indicator corrected.
struct RowProblem {
  Eigen::VectorXd linear;   ///< what feature k adds on its own
  Eigen::MatrixXd weights;  ///< K x K, symmetric, 0 on the diagonal
  std::vector<char> fresh;  ///< which features no other row has
  std::vector<double> log_new;

  int size() const { return static_cast<int>(linear.size()); }
};

/// How a row is searched; all end no lower than where the row was.
enum class RowRule {
  climb,         ///< steepest flips, then the best swap, from where the row is, no and all features
  local,         ///< the local search of Feige, Mirrokni & Vondrak as the paper has it
  double_greedy  ///< Buchbinder et al. (2012), then flips and swaps
};

/// A set of features of a row and what every change of it gains.
class RowState {
 public:
  explicit RowState(const RowProblem& problem) : p_(&problem) {}

  /// Starts from a set; `is_on(k)`.
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

  /// What flipping feature k gains.
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

  /// Flips and swaps until none gains.
  void climb();
  /// The same; none gains where `top` is.
  void climb(const RowState& top);

  /// The local search: the best single feature, then features are added and removed one by one
  /// while that gains more than a tolerance; at last the complement, where it is better.
  void local();

  /// The randomised double greedy search: X grows from no features and Y shrinks from all until
  /// they meet.
  void double_greedy(Rng& rng);

 private:
  static constexpr double least_gain = 1e-9, tolerance = 0.01;

  bool best_flip();

  /// The best addition or removal beyond the tolerance of the local search.
  bool best_flip_among(bool on);

  bool is_at(const RowState& other) const { return (signs_ == other.signs_).all(); }

  /// One feature out, another in.
  struct Swap {
    int out = -1, in = -1;
    double gain = least_gain;
  };

  bool best_swap();

  /// If all features are old, again by vector instructions.
  Swap best_swap_of_old();

  Swap best_swap_of_all() const;

  double swap_gain(int out, int in) const;

  const RowProblem* p_;
  Eigen::ArrayXd signs_;      ///< -1 for the features that are on, 1 for the others
  Eigen::ArrayXd gains_;      ///< of switching on, apart from log_new
  Eigen::ArrayXd off_gains_;  ///< the same where a feature is off, far below elsewhere
  int fresh_on_ = 0;
  double value_ = 0;
};

/// Searches from the current features of the row. Returns true if something better was found, which
/// is then in `best`.
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
