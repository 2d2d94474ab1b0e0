#pragma once

// A second implementation of choices by elimination by aspects.

#include <testthat/vendor/catch.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/archive.h"
#include "draws.h"
#include "likelihood/choice.h"
#include "trees.h"

namespace test {

using buffet::Change;
using buffet::Choice;
using buffet::ChoiceSums;
using buffet::WeightPrior;

/// wins(i, j): how often i was chosen over j.
inline buffet::ChoiceData as_choices(const Eigen::MatrixXd& wins) {
  const int rows = static_cast<int>(wins.rows());
  std::vector<double> by_row;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) by_row.push_back(wins(i, j));
  return buffet::ChoiceData(rows, by_row);
}

/// P(i is chosen over j); z is the feature matrix, with one weight per feature.
inline double chosen(const Eigen::MatrixXd& z, const std::vector<double>& w, int i, int j,
                     double epsilon) {
  double a = 0, b = 0;
  bool any = false;
  for (int k = 0; k < z.cols(); ++k) {
    if (z(i, k) == z(j, k)) continue;
    any = true;
    (z(i, k) > 0 ? a : b) += w[k];
  }
  return (1 - epsilon) * (any ? a / (a + b) : 0.5) + epsilon / 2;
}

/// Binomial log likelihood of every pair that was compared.
inline double log_lik(const Eigen::MatrixXd& z, const std::vector<double>& w,
                      const Eigen::MatrixXd& wins, double epsilon) {
  double sum = 0;
  for (int i = 0; i < z.rows(); ++i)
    for (int j = 0; j < i; ++j) {
      const double x = wins(i, j), y = wins(j, i), p = chosen(z, w, i, j, epsilon);
      sum += std::lgamma(x + y + 1) - std::lgamma(x + 1) - std::lgamma(y + 1);
      if (x > 0) sum += x * std::log(p);
      if (y > 0) sum += y * std::log(chosen(z, w, j, i, epsilon));
    }
  return sum;
}

/// Random choices: up to `most` judgements per pair, with a third of the pairs omitted.
inline Eigen::MatrixXd random_wins(int rows, int most, Rng& rng) {
  Eigen::MatrixXd wins = Eigen::MatrixXd::Zero(rows, rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < i; ++j)
      if (rng.below(3) > 0)
        for (int n = rng.below(most + 1); n > 0; --n)
          rng.bernoulli(0.5) ? ++wins(i, j) : ++wins(j, i);
  return wins;
}

/// Choices, features (all items may have some of them, and pairs may be equal), and weights.
struct ChoiceState {
  double epsilon;
  Eigen::MatrixXd wins;
  Features z;
  std::vector<double> w;
  int free = 0;  ///< features before this index can be added or dropped without ruling out choices

  static ChoiceState random(Rng& rng, int least = 2, int most = 9) {
    const int rows = least + rng.below(most - least + 1);
    ChoiceState s{rng.bernoulli(0.5) ? 0 : 0.02 + 0.5 * rng.uniform(),
                  random_wins(rows, 4, rng),
                  random_features(rows, 1 + rng.below(6), rng),
                  {}};
    if (rng.bernoulli(0.3)) s.z.add(s.z.column(0));
    if (rng.bernoulli(0.3)) {
      Bits all(rows);
      for (int i = 0; i < rows; ++i) all.set(i);
      s.z.add(all);
    }
    s.free = s.z.size();
    if (s.epsilon == 0)  // gives every item a singleton, so that all choices are possible
      for (int i = 0; i < rows; ++i) s.z.add_own(i);
    for (int k = 0; k < s.z.size(); ++k) s.w.push_back(rng.gamma(1.7, 0.6));
    return s;
  }

  double log_lik() const { return test::log_lik(dense(z), w, wins, epsilon); }
};

/// The contents of the sums, from their archive.
struct SumsState {
  std::vector<double> a;
  std::vector<int> counts;
  std::vector<double> terms;

  template <class Archive>
  void archive(Archive& to) {
    to(a);
    to(counts);
    to(terms);
  }
  static SumsState of(ChoiceSums sums) {
    SumsState state;
    buffet::from_bytes(buffet::to_bytes(sums), state);
    return state;
  }
};

/// The whole state of the likelihood, with recomputed sums.
struct WeightsState {
  std::vector<double> weights;
  ChoiceSums sums;

  template <class Archive>
  void archive(Archive& a) {
    a(weights);
    a(sums);
  }
};

/// Sets the weights of the features of z, in their order.
inline void set_weights(Choice& likelihood, const Features& z, const std::vector<double>& weights,
                        double epsilon) {
  WeightsState state{weights, ChoiceSums(likelihood.data(), {epsilon})};
  state.sums.set(z, weights);
  buffet::from_bytes(buffet::to_bytes(state), likelihood);
}

}  // namespace test
