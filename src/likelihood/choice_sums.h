#pragma once

#include <algorithm>
#include <vector>

#include "../core/features.h"
#include "choice_data.h"

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
        a_(data.at(data.rows(), 0), 0),
        counts_(a_.size(), 0),
        terms_(a_.size(), 0),
        proposed_(a_.size(), 0) {}

  void set(const Features& z, const std::vector<double>& weights) {
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(counts_.begin(), counts_.end(), 0);
    for (int k = 0; k < z.size(); ++k)
      for_distinguished(z.column(k), [&](int i, int j) { make(at(i, j), {weights[k], 1}); });
    for (int i = 0; i < data_->rows(); ++i) set_terms(i);
  }

  double log_lik() const {
    double sum = 0;
    for (int i = 0; i < data_->rows(); ++i)
      for (int j : data_->opponents(i))
        if (j < i) sum += terms_[at(i, j)];
    return sum;
  }

  /// Change of the log likelihood when a feature that these rows have is added to item i, or, with
  /// its weight negative, taken from it.
  double log_ratio_flip(const Bits& column, int i, Change change) const {
    double sum = 0;
    for (int j : data_->opponents(i)) {
      const std::size_t to = at(i, j), from = at(j, i);
      const bool shared = column.at(j);
      const double a = shared ? a_[to] : changed(to, change);
      const double b = shared ? changed(from, change.reversed()) : a_[from];
      sum += term(i, j, a, b) - terms_[to];
    }
    return sum;
  }
  void flip(const Bits& column, int i, Change change) {
    for (int j : data_->opponents(i)) {
      if (column.at(j))
        make(at(j, i), change.reversed());
      else
        make(at(i, j), change);
    }
    set_terms(i);
  }

  /// Adds to what item i alone has. The log likelihood follows in `set_terms`.
  void add_own(int i, Change change) {
    for (int j : data_->opponents(i)) make(at(i, j), change);
  }
  /// Log likelihood of the pairs of item i with so much more of its own.
  double log_lik_with(int i, double weight) const {
    double sum = 0;
    for (int j : data_->opponents(i)) sum += term(i, j, a_[at(i, j)] + weight, a_[at(j, i)]);
    return sum;
  }
  void set_terms(int i) {
    for (int j : data_->opponents(i)) set_term(i, j, term(i, j, a_[at(i, j)], a_[at(j, i)]));
  }

  /// Change of the log likelihood when a feature with these rows weighs so much more.
  double log_ratio_weight(const Bits& column, double by) {
    double sum = 0;
    for_distinguished(column, [&](int i, int j) {
      proposed_[at(i, j)] = term(i, j, changed(at(i, j), {by, 0}), a_[at(j, i)]);
      sum += proposed_[at(i, j)] - terms_[at(i, j)];
    });
    return sum;
  }
  /// Makes the change that was asked for just now.
  void change_weight(const Bits& column, double by) {
    for_distinguished(column, [&](int i, int j) {
      make(at(i, j), {by, 0});
      set_term(i, j, proposed_[at(i, j)]);
    });
  }

  template <class Archive>
  void archive(Archive& a) {
    a(a_);
    a(counts_);
    a(terms_);
  }

  /// All weights are multiplied, on which no choice depends.
  void scale(double factor) {
    for (double& a : a_) a *= factor;
  }

 private:
  std::size_t at(int i, int j) const { return data_->at(i, j); }

  /// Calls f(i, j) for the pairs of which i has a feature and j has not.
  template <class F>
  void for_distinguished(const Bits& column, F f) const {
    column.for_each([&](int i) {
      for (int j : data_->opponents(i))
        if (!column.at(j)) f(i, j);
    });
  }

  double changed(std::size_t at, Change change) const {
    return counts_[at] + change.features == 0 ? 0 : std::max(0.0, a_[at] + change.weight);
  }
  void make(std::size_t at, Change change) {
    a_[at] = changed(at, change);
    counts_[at] += change.features;
  }

  double term(int i, int j, double a, double b) const {
    return rule_.log_lik(a, b, data_->wins(i, j), data_->wins(j, i));
  }
  void set_term(int i, int j, double value) { terms_[at(i, j)] = terms_[at(j, i)] = value; }

  const ChoiceData* data_;
  EliminationByAspects rule_;
  std::vector<double> a_;
  std::vector<int> counts_;
  std::vector<double> terms_, proposed_;
};

}  // namespace buffet
