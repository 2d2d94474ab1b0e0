#pragma once

#include <algorithm>
#include <vector>

#include "choice_data.h"
#include "core/archive.h"
#include "core/features.h"

namespace buffet {

/// What is added to the weight of some features, and to their number.
struct Change {
  double weight;
  int features;

  Change reversed() const { return {-weight, -features}; }
};

/// For every pair the weight a_ij of the features that i has and j has not, how many these are
/// (where there are none a_ij is 0, whatever rounding says), and the log likelihood of the pair.
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

  /// Adds a feature that these rows have, or takes it away. The log likelihood follows in
  /// `set_terms`.
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

  /// Change of the log likelihood when a feature that these rows have is added to item i, or, with
  /// its weight negative, taken from it.
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

  /// The same when item i gains that feature and its own weigh as much less: only those who have it
  /// see a difference.
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

  /// Adds to what item i alone has. The log likelihood follows in `set_terms`.
  void add_own(int i, Change change) {
    for (const Opponent& other : data_->opponents(i)) make(other.to, change);
  }
  /// Log likelihood of the pairs of item i with so much more of its own.
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

  /// Change of the log likelihood when a feature with these rows weighs so much more.
  double log_ratio_weight(const Bits& column, double by) {
    double sum = 0;
    for_distinguished(column, [&](const Opponent& other) {
      proposed_[other.to] = rule_.log_lik(changed(other.to, {by, 0}), a_[other.from], other.judged);
      sum += proposed_[other.to] - terms_[other.to];
    });
    return sum;
  }
  /// Makes the change that was asked for just now.
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

  /// Change of the log likelihood without a feature that these rows have.
  double log_ratio_lost(const Bits& column, double weight) const {
    double sum = 0;
    for_distinguished(column, [&](const Opponent& other) {
      const double left = changed(other.to, {-weight, -1});
      sum += rule_.log_lik(left, a_[other.from], other.judged) - terms_[other.to];
    });
    return sum;
  }

  /// All weights are multiplied, on which no choice depends.
  void scale(double factor) {
    for (double& a : a_) a *= factor;
  }

 private:
  /// Calls f(other) for the opponents without a feature of items that have it.
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

}  // namespace buffet
