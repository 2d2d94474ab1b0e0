#pragma once

#include <cmath>
#include <vector>

#include "../core/special.h"

namespace buffet {

/// How often each item was chosen over each other, rows x rows, row over column.
class ChoiceData {
 public:
  ChoiceData(int rows, std::vector<double> wins)
      : rows_(rows), wins_(std::move(wins)), opponents_(rows) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        if (i != j && this->wins(i, j) + this->wins(j, i) > 0) opponents_[i].push_back(j);
    for (int i = 0; i < rows; ++i)
      for (int j : opponents_[i])
        if (j < i) log_orders_ += log_choose(this->wins(i, j), this->wins(j, i));
  }

  int rows() const { return rows_; }
  double wins(int i, int j) const { return wins_[at(i, j)]; }
  /// The items that i was judged with.
  const std::vector<int>& opponents(int i) const { return opponents_[i]; }
  /// Log of the number of orders in which the judgements could have been made.
  double log_orders() const { return log_orders_; }
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * rows_ + j; }

 private:
  static double log_choose(double x, double y) {
    return log_gamma(x + y + 1) - log_gamma(x + 1) - log_gamma(y + 1);
  }

  int rows_;
  std::vector<double> wins_;
  std::vector<std::vector<int>> opponents_;
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
  /// Log probability that the first is chosen x times and the second y times, in a given order.
  double log_lik(double a, double b, double x, double y) const {
    if (!(a + b > 0)) return (x + y) * -M_LN2;
    const double more = 1 - epsilon / 2, less = epsilon / 2, scale = 1 / (a + b);
    double sum = 0;
    if (x > 0) sum += x * std::log((more * a + less * b) * scale);
    if (y > 0) sum += y * std::log((less * a + more * b) * scale);
    return sum;
  }
};

}  // namespace buffet
