#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/archive.h"
#include "core/fast_log.h"
#include "core/features.h"
#include "core/special.h"
#include "weight_prior.h"

namespace buffet {

/// How often the first of two items was chosen over the second, and vice versa.
struct Judgements {
  double first, second;
  double sum() const { return first + second; }
};

/// An item that was compared with a given item: its row, the judgements (with the given item
/// first), and the indices of a_ij and a_ji in a square matrix.
struct Opponent {
  int row;
  Judgements judged;
  std::size_t to, from;
};

/// How often each item was chosen over each other item, rows x rows: entry (i, j) counts choices of
/// i over j.
class ChoiceData {
 public:
  ChoiceData(int rows, const std::vector<double>& wins) : rows_(rows), opponents_(rows) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) {
        const Judgements judged{wins[at(i, j)], wins[at(j, i)]};
        if (i == j || judged.sum() == 0) continue;
        opponents_[i].push_back({j, judged, at(i, j), at(j, i)});
        if (j < i) log_orders_ += log_choose(judged);
      }
  }

  int rows() const { return rows_; }
  int cells() const { return rows_ * rows_; }
  /// The items with which i was compared, as rows.
  const std::vector<Opponent>& opponents(int i) const { return opponents_[i]; }
  /// The number of judgements.
  double judged() const {
    double sum = 0;
    for (const auto& opponents : opponents_)
      for (const Opponent& other : opponents) sum += other.judged.sum() / 2;
    return sum;
  }
  /// Log of the number of orders in which the judgements may have been made.
  double log_orders() const { return log_orders_; }

 private:
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * rows_ + j; }
  static double log_choose(Judgements n) {
    return log_gamma(n.sum() + 1) - log_gamma(n.first + 1) - log_gamma(n.second + 1);
  }

  int rows_;
  std::vector<std::vector<Opponent>> opponents_;
  double log_orders_ = 0;
};

/// Elimination by aspects (Tversky 1972) with lapses: if the distinctive features of two items have
/// total weights a and b, the first is chosen with probability (1 - epsilon) a / (a + b) + epsilon
/// / 2, or 1/2 if neither has any (Miller, Griffiths & Jordan 2008, eq. 9).
struct EliminationByAspects {
  double epsilon;

  double probability(double a, double b) const {
    if (!(a + b > 0)) return 0.5;
    return ((1 - epsilon / 2) * a + epsilon / 2 * b) / (a + b);
  }
  /// Log probability of judgements in a given order.
  double log_lik(double a, double b, Judgements n) const {
    if (!(a + b > 0)) return n.sum() * -M_LN2;
    const double more = 1 - epsilon / 2, less = epsilon / 2, scale = 1 / (a + b);
    double sum = 0;
    if (n.first > 0) sum += n.first * fast_log((more * a + less * b) * scale);
    if (n.second > 0) sum += n.second * fast_log((less * a + more * b) * scale);
    return sum;
  }
  /// The derivatives of log_lik with respect to a and b; 0 if neither item has a feature.
  void slopes(double a, double b, Judgements n, double* slopes) const {
    slopes[0] = slopes[1] = 0;
    if (!(a + b > 0)) return;
    const double more = 1 - epsilon / 2, less = epsilon / 2;
    const double first = n.first > 0 ? n.first / (more * a + less * b) : 0;
    const double second = n.second > 0 ? n.second / (less * a + more * b) : 0;
    const double both = n.sum() / (a + b);
    slopes[0] = more * first + less * second - both;
    slopes[1] = less * first + more * second - both;
  }
};

/// The changes in the total weight of some features and in their number.
struct Change {
  double weight;
  int features;

  Change reversed() const { return {-weight, -features}; }
};

/// For every pair, the total weight a_ij of the features that i has and j does not have, their
/// number (if it is 0, a_ij is 0 regardless of rounding error), and the log likelihood of the pair.
class ChoiceSums {
 public:
  ChoiceSums(const ChoiceData& data, EliminationByAspects rule)
      : data_(&data),
        rule_(rule),
        a_(data.cells(), 0),
        counts_(data.cells(), 0),
        terms_(data.cells(), 0),
        proposed_(data.cells(), 0) {}

  void set(const Features& z, const std::vector<double>& weights) {
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(counts_.begin(), counts_.end(), 0);
    for (int k = 0; k < z.size(); ++k) add(z.column(k), {weights[k], 1});
    for (int i = 0; i < data_->rows(); ++i) set_terms(i);
  }

  /// Adds or removes a feature with these rows. `set_terms` then updates the log likelihood.
  void add(const Bits& column, Change change) {
    for_distinguished(column, [&](const Opponent& other) { make(other.to, change); });
  }

  double log_lik() const {
    double sum = 0;
    for (int i = 0; i < data_->rows(); ++i)
      for (const Opponent& other : data_->opponents(i))
        if (other.row < i) sum += terms_[other.to];
    return sum;
  }

  /// Change in the log likelihood if a feature with these rows is added to item i or, with negative
  /// weight, removed from it.
  double log_ratio_flip(const Bits& column, int i, Change change) const {
    double sum = 0;
    for (const Opponent& other : data_->opponents(i)) {
      const bool shared = column.at(other.row);
      const double a = shared ? a_[other.to] : changed(other.to, change);
      const double b = shared ? changed(other.from, change.reversed()) : a_[other.from];
      sum += rule_.log_lik(a, b, other.judged) - terms_[other.to];
    }
    return sum;
  }
  void flip(const Bits& column, int i, Change change) {
    for (const Opponent& other : data_->opponents(i)) {
      if (column.at(other.row))
        make(other.from, change.reversed());
      else
        make(other.to, change);
    }
    set_terms(i);
  }

  /// Change in the log likelihood if item i gains the feature and its singletons lose the same
  /// weight: only pairs with items that have the feature are affected.
  double log_ratio_exchange(const Bits& column, int i, double gain) const {
    double sum = 0;
    for (const Opponent& other : data_->opponents(i))
      if (column.at(other.row)) {
        const double a = changed(other.to, {-gain, 0});
        const double b = changed(other.from, {-gain, gain > 0 ? -1 : 1});
        sum += rule_.log_lik(a, b, other.judged) - terms_[other.to];
      }
    return sum;
  }
  void exchange(const Bits& column, int i, Change gain) {
    for (const Opponent& other : data_->opponents(i))
      if (column.at(other.row)) {
        make(other.to, {-gain.weight, 0});
        make(other.from, gain.reversed());
      } else {
        make(other.to, {0, gain.features});
      }
    set_terms(i);
  }

  /// Adds to the weight of the singletons of item i. `set_terms` then updates the log likelihood.
  void add_own(int i, Change change) {
    for (const Opponent& other : data_->opponents(i)) make(other.to, change);
  }
  /// Log likelihood of the pairs of item i with this addition to the weight of its singletons.
  double log_lik_with(int i, double weight) const {
    double sum = 0;
    for (const Opponent& other : data_->opponents(i))
      sum += rule_.log_lik(a_[other.to] + weight, a_[other.from], other.judged);
    return sum;
  }
  void set_terms(int i) {
    for (const Opponent& other : data_->opponents(i))
      set_term(other, rule_.log_lik(a_[other.to], a_[other.from], other.judged));
  }

  /// Change in the log likelihood if the weight of a feature with these rows changes by this much.
  double log_ratio_weight(const Bits& column, double by) {
    double sum = 0;
    for_distinguished(column, [&](const Opponent& other) {
      proposed_[other.to] = rule_.log_lik(changed(other.to, {by, 0}), a_[other.from], other.judged);
      sum += proposed_[other.to] - terms_[other.to];
    });
    return sum;
  }
  /// Applies the change that was last evaluated.
  void change_weight(const Bits& column, double by) {
    for_distinguished(column, [&](const Opponent& other) {
      make(other.to, {by, 0});
      set_term(other, proposed_[other.to]);
    });
  }

  void archive(Archive& a) {
    a.of_same_size(a_, "weights of pairs");
    a.of_same_size(counts_, "counts of pairs");
    a.of_same_size(terms_, "terms of pairs");
  }

  /// Change in the log likelihood without a feature with these rows.
  double log_ratio_lost(const Bits& column, double weight) const {
    double sum = 0;
    for_distinguished(column, [&](const Opponent& other) {
      const double left = changed(other.to, {-weight, -1});
      sum += rule_.log_lik(left, a_[other.from], other.judged) - terms_[other.to];
    });
    return sum;
  }

  /// Multiplies all weights by a factor, which does not affect choices.
  void scale(double factor) {
    for (double& a : a_) a *= factor;
  }

 private:
  /// For all items that have a feature, calls f(other) for every opponent without it.
  template <class F>
  void for_distinguished(const Bits& column, F f) const {
    column.for_each([&](int i) {
      for (const Opponent& other : data_->opponents(i))
        if (!column.at(other.row)) f(other);
    });
  }

  double changed(std::size_t at, Change change) const {
    return counts_[at] + change.features == 0 ? 0 : std::max(0.0, a_[at] + change.weight);
  }
  void make(std::size_t at, Change change) {
    a_[at] = changed(at, change);
    counts_[at] += change.features;
  }
  void set_term(const Opponent& other, double value) {
    terms_[other.to] = terms_[other.from] = value;
  }

  const ChoiceData* data_;
  EliminationByAspects rule_;
  std::vector<double> a_;
  std::vector<int> counts_;
  std::vector<double> terms_, proposed_;
};

/// Log density of the logarithms of all weights given Z, up to a constant, and its gradient.
class WeightDensity {
 public:
  WeightDensity(const ChoiceData& data, EliminationByAspects rule, const WeightPrior& prior)
      : rule_(rule), prior_(&prior), sides_(data.cells()) {
    for (int i = 0; i < data.rows(); ++i)
      for (const Opponent& other : data.opponents(i))
        if (other.row < i) {
          sides_[other.to] = 2 * static_cast<int>(pairs_.size());
          sides_[other.from] = sides_[other.to] + 1;
          pairs_.push_back(other.judged);
        }
    sums_.resize(2 * pairs_.size());
    slopes_.resize(2 * pairs_.size());
  }

  /// The sums to which each feature contributes: a_ij for every pair in which i has the feature and
  /// j does not.
  void set(const Features& z, const ChoiceData& data) {
    ends_.clear();
    added_.clear();
    for (int k = 0; k < z.size(); ++k) {
      const Bits& column = z.column(k);
      column.for_each([&](int i) {
        for (const Opponent& other : data.opponents(i))
          if (!column.at(other.row)) added_.push_back(sides_[other.to]);
      });
      ends_.push_back(added_.size());
    }
  }

  double log_density(const std::vector<double>& log_weights) {
    add_up(log_weights);
    double sum = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k)
      sum += prior_->log_density_of_log(log_weights[k], weights_[k]);
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      sum += rule_.log_lik(sums_[2 * p], sums_[2 * p + 1], pairs_[p]);
    return sum;
  }

  void slopes(const std::vector<double>& log_weights, std::vector<double>& gradient) {
    add_up(log_weights);
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      rule_.slopes(sums_[2 * p], sums_[2 * p + 1], pairs_[p], &slopes_[2 * p]);
    for (std::size_t k = 0, n = 0; k < weights_.size(); ++k) {
      double slope = 0;
      for (; n < ends_[k]; ++n) slope += slopes_[added_[n]];
      gradient[k] = prior_->slope_of_log(weights_[k]) + weights_[k] * slope;
    }
  }

 private:
  void add_up(const std::vector<double>& log_weights) {
    weights_.resize(log_weights.size());
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t k = 0, n = 0; k < weights_.size(); ++k) {
      weights_[k] = std::exp(log_weights[k]);
      for (; n < ends_[k]; ++n) sums_[added_[n]] += weights_[k];
    }
  }

  EliminationByAspects rule_;
  const WeightPrior* prior_;
  std::vector<int> sides_;  ///< index of a_ij in sums_ for each (i, j)
  std::vector<Judgements> pairs_;
  std::vector<std::size_t> ends_;  ///< for each feature, the end of its part of added_
  std::vector<int> added_;
  std::vector<double> weights_, sums_, slopes_;
};

}  // namespace buffet
