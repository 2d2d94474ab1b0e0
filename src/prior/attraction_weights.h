#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/fast_log.h"
#include "core/log_sum.h"

namespace buffet {

/// True if the elements are 0, ..., n - 1 in any order.
inline bool is_permutation(std::vector<int> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t n = 0; n < order.size(); ++n)
    if (order[n] != static_cast<int>(n)) return false;
  return true;
}

/// Log of the absolute value of prod(above) / prod(below). Factors are between 2^-50 and 2, so a
/// quotient of eight factors by eight is within the range of doubles.
template <class Above, class Below>
double log_of_ratio(const Above& above, const Below& below) {
  constexpr int many = 8;
  LogProduct ratio;
  Eigen::Index n = 0;
  for (; n + many <= above.size(); n += many)
    ratio.multiply(
        std::abs(above.template segment<many>(n).prod() / below.template segment<many>(n).prod()));
  const Eigen::Index left = above.size() - n;
  if (left > 0)
    ratio.multiply(std::abs(above.segment(n, left).prod() / below.segment(n, left).prod()));
  return ratio.log();
}

/// The weights of the rows that enter before another: shares of exp(-t d), such that the row at
/// place r (from 0) takes a dish with probability
///
/// (sum of the weights of the earlier rows that have it) / scale,
///
/// where the scale is the sum of all weights times (r + 1) / r.
///
/// Weights and scales are multiples of 2^-50, and weights are not 0. Sums of weights are therefore
/// exact: the order of additions and subtractions does not matter, and subtracting what was added
/// leaves no error.
struct EarlierRows {
  const Eigen::MatrixXd& distance;
  const std::vector<int>& order;  ///< row at each place
  double temperature;

  /// Writes the weights of the rows before place r into the first r elements; returns the scale.
  /// Doubles between 4 and 8 are multiples of 2^-50, so adding 6 and subtracting it again rounds to
  /// such a multiple.
  double weigh(int r, Eigen::ArrayXd& weights) const {
    if (r == 0) return 0;
    const double* from = distance.data() + distance.rows() * order[r];
    for (int q = 0; q < r; ++q) weights(q) = from[order[q]];
    auto some = weights.head(r);
    some = (temperature * (some.minCoeff() - some)).exp();
    some = (some / some.sum() + 6.0 - 6.0).max(0x1.0p-50);
    return some.sum() * (r + 1) / r + 6.0 - 6.0;
  }
};

/// The rows in the order in which they enter, and the weights of the rows before each of them.
class AttractionWeights {
 public:
  AttractionWeights(const Eigen::MatrixXd& distance, std::vector<int> order, double temperature)
      : order_(std::move(order)),
        places_(order_.size()),
        weights_(Eigen::MatrixXd::Zero(rows(), rows())),
        scales_(Eigen::ArrayXd::Zero(rows())),
        log_own_(rows()) {
    const EarlierRows earlier{distance, order_, temperature};
    Eigen::ArrayXd weights(rows());
    for (int r = 0; r < rows(); ++r) {
      scales_(r) = earlier.weigh(r, weights);
      weights_.row(r).head(r) = weights.head(r).matrix().transpose();
    }
    finish();
  }

  int rows() const { return static_cast<int>(order_.size()); }
  const std::vector<int>& order() const { return order_; }
  int row(int place) const { return order_[place]; }
  int place(int row) const { return places_[row]; }
  const Eigen::ArrayXd& scales() const { return scales_; }
  double scale(int place) const { return scales_(place); }

  /// The weight of the row at place `before` for the row at `place`, and the weights for the rows
  /// at places from `first` up to `end`.
  double weight(int before, int place) const { return weights_(place, before); }
  auto weights(int before, int first, int end) const {
    return weights_.col(before).segment(first, end - first).array();
  }

  /// Log probability that no later row takes a dish that only the row at this place has taken.
  double log_own(int place) const { return log_own_(place); }

  /// Swaps the rows at two places, a < b. `changed` has the weights of the rows before places a to
  /// b, one column per place, and `scales` their scales. Call finish() afterwards.
  void swap(int a, int b, const Eigen::ArrayXXd& changed, const Eigen::ArrayXd& scales) {
    std::swap(order_[a], order_[b]);
    for (int r = a; r <= b; ++r) {
      weights_.row(r).head(r) = changed.col(r - a).head(r).matrix().transpose();
      scales_(r) = scales(r - a);
    }
    const int after = rows() - b - 1;
    weights_.col(a).tail(after).swap(weights_.col(b).tail(after));
  }

  void finish() {
    for (int r = 0; r < rows(); ++r) {
      places_[order_[r]] = r;
      const auto later = scales_.tail(rows() - r - 1);
      log_own_(r) = log_of_ratio(later - weights(r, r + 1, rows()), later);
    }
  }

 private:
  std::vector<int> order_, places_;
  Eigen::MatrixXd weights_;  ///< indexed by the places of the later and the earlier row
  Eigen::ArrayXd scales_, log_own_;
};

/// What an attraction prior stores for a column: for the row at place r, the sum of the weights of
/// the earlier rows that have the feature, minus scale(r) if the row does not have it. The absolute
/// value divided by scale(r) is the probability of this row's bit given the bits of earlier rows.
class AttractionColumn {
 public:
  /// Sets a column that is indexed by rows.
  void set(const AttractionWeights& w, const Bits& column) {
    const int rows = w.rows();
    first_ = rows;
    shares_ = -w.scales();
    column.for_each([&](int i) {
      const int q = w.place(i);
      first_ = std::min(first_, q);
      shares_(q) += w.scale(q);
      shares_.tail(rows - q - 1) += w.weights(q, q + 1, rows);
    });
  }

  /// Updates the column after a flip of the bit of the row at place q.
  void flip(const AttractionWeights& w, const Bits& column, int q) {
    const int rows = w.rows();
    const double sign = column.at(w.row(q)) ? 1 : -1;
    shares_(q) += sign * w.scale(q);
    shares_.tail(rows - q - 1) += sign * w.weights(q, q + 1, rows);
    if (sign > 0)
      first_ = std::min(first_, q);
    else if (q == first_)
      first_ = next(w, column, q);
  }

  /// Place of the first row after q that has the feature.
  static int next(const AttractionWeights& w, const Bits& column, int q) {
    do ++q;
    while (q < w.rows() && !column.at(w.row(q)));
    return q;
  }

  /// Log of the rate of the column / alpha.
  double log_rate(const AttractionWeights& w) const {
    const int later = w.rows() - first_ - 1;
    return log_of_ratio(shares_.tail(later), w.scales().tail(later)) - std::log(first_ + 1.0);
  }

  /// Log odds that the row at place q has the feature, which at least one other row has.
  double log_odds(const AttractionWeights& w, const Bits& column, int q) const {
    const bool on = column.at(w.row(q));
    // Effect of the bit at place q on the log probability of the bits at places `from` to `end` -
    // 1.
    const auto effect = [&](int from, int end) {
      const auto now = shares_.segment(from, end - from);
      const auto weights = w.weights(q, from, end);
      return on ? log_of_ratio(now, now - weights) : log_of_ratio(now + weights, now);
    };
    if (first_ < q) {
      const double share = on ? shares_(q) : shares_(q) + w.scale(q);
      return fast_log(share / (w.scale(q) - share)) + effect(q + 1, w.rows());
    }
    // With the bit on, this row is the first with the feature; with it off, the row at place f is.
    const int f = on ? next(w, column, q) : first_;
    return fast_log(w.weight(q, f) / w.scale(f) * (f + 1) / (q + 1)) + effect(q + 1, f) +
           effect(f + 1, w.rows());
  }

  /// The probability of the bit at this place given the bits of earlier rows, or the rate of a
  /// column whose first row is here.
  double factor(const AttractionWeights& w, int place) const {
    if (place <= first_) return place < first_ ? 1 : 1.0 / (place + 1);
    return std::abs(shares_(place)) / w.scale(place);
  }

  int first() const { return first_; }
  /// Call when rows have been swapped, with the value to store for this place and the place of the
  /// first row.
  void put(int place, double share, int first) {
    shares_(place) = share;
    first_ = first;
  }

 private:
  Eigen::ArrayXd shares_;
  int first_ = 0;
};

}  // namespace buffet
