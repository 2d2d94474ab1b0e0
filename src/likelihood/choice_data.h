#pragma once

#include <cmath>
#include <vector>

#include "core/fast_log.h"
#include "core/special.h"

namespace buffet {

/// How often the first of two items was chosen, and the second.
struct Judgements {
  double first, second;
  double sum() const { return first + second; }
};

/// One that an item was judged with: its row, the judgements, the item's own first, and where a_ij
/// and a_ji are in a square matrix.
struct Opponent {
  int row;
  Judgements judged;
  std::size_t to, from;
};

/// How often each item was chosen over each other, rows x rows, row over column.
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
  /// The items that i was judged with, by their rows.
  const std::vector<Opponent>& opponents(int i) const { return opponents_[i]; }
  /// The number of judgements.
  double judged() const {
    double sum = 0;
    for (const auto& opponents : opponents_)
      for (const Opponent& other : opponents) sum += other.judged.sum() / 2;
    return sum;
  }
  /// Log of the number of orders in which the judgements could have been made.
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

/// Elimination by aspects (Tversky 1972) with lapses: of two items whose distinctive features weigh
/// a and b the first is chosen with probability (1 - epsilon) a / (a + b) + epsilon / 2, where
/// neither has any with 1/2 (Miller, Griffiths & Jordan 2008, eq. 9).
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
  /// The derivatives of that by a and b; where neither item has a feature there are none.
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

}  // namespace buffet
