#pragma once

#include <Eigen/Dense>
#include <limits>

#include "../meibp.h"

namespace bench {

/// The problems of the rows in a state with complete data, given the current loadings.
class RowProblems {
 public:
  RowProblems(const State& state, const Input& input) : state_(state) {
    const auto& f = state.factor();
    const double tau = f.tau_x().mean();
    weights_ = tau * f.mean().transpose() * f.mean();
    own_ = -0.5 * (weights_.diagonal() + tau * f.variance().colwise().sum().transpose());
    weights_.diagonal().setZero();
    scores_ = tau * f.mean().transpose() * input.x.dense();
  }

  /// The problem of row i if the other rows are as in z.
  buffet::RowProblem of(const buffet::Features& z, int i) const {
    buffet::RowProblem problem{scores_.col(i) + own_, weights_, {}, {}};
    const auto& prior = state_.prior();
    int shared = 0, fresh = 0;
    for (int k = 0; k < z.size(); ++k) {
      const int others = z.count_without(i, k);
      problem.fresh.push_back(others == 0);
      problem.linear(k) += others == 0 ? state_.factor().log_own(k) : prior.log_odds_of(others);
      ++(others == 0 ? fresh : shared);
    }
    for (int j = 0; j < fresh; ++j) problem.log_new.push_back(prior.log_new_ratio(shared + j));
    return problem;
  }

 private:
  const State& state_;
  Eigen::MatrixXd weights_, scores_;
  Eigen::VectorXd own_;
};

/// The minimum and the maximum over all sets of features of a row.
struct Extremes {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  explicit Extremes(const buffet::RowProblem& problem) {
    buffet::RowState state(problem);
    state.set([](int) { return false; });
    add(state.value());
    // Gray code: each set differs from the next by one flip.
    for (unsigned set = 1; set < 1u << problem.size(); ++set) {
      state.flip(__builtin_ctz(set));
      add(state.value());
    }
  }

  /// 1 at the optimum and 0 at the worst set: eq. 22.
  double normalised(double value) const {
    return most > least ? (value - least) / (most - least) : 1;
  }
  bool reached(double value) const { return value > most - 1e-7; }

 private:
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

}  // namespace bench
