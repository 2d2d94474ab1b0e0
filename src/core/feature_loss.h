#pragma once

#include <vector>

#include "check.h"
#include "draws.h"

namespace buffet {

/// The column matched to each row of a square matrix in the perfect matching with the smallest
/// total cost, by shortest augmenting paths, in O(size^3). `cost` is stored row by row.
std::vector<int> match_cheapest(const std::vector<double>& cost, int size);

/// FARO loss of an estimate and a draw (Dahl, Johnson & Andros 2023): their columns are matched one
/// to one, with zero columns in place of missing ones. An entry of matched columns costs `extra` if
/// only the estimate has it, and 2 - extra if only the draw has it.
class FeatureLoss {
 public:
  /// both: true if a column of a draw may be replaced by its complement.
  FeatureLoss(double extra, bool both) : extra_(extra), both_(both) {}

  double extra() const { return extra_; }
  struct Matched {
    double loss;
    std::vector<Bits> columns;  ///< columns of the draw, matched ones first
  };
  Matched match(const Features& estimate, const Features& draw) const;
  /// True if the column costs nothing when matched to a zero column.
  bool is_void(const Bits& column, int rows) const;

 private:
  struct Pair {
    double cost;
    bool flip;  ///< true if the complement of the draw's column is cheaper
  };
  Pair compare(int rows, int of_estimate, int of_draw, int shared) const;

  double extra_;
  bool both_;
};

/// Mean loss over draws.
double expected_loss(const FeatureLoss& loss, const Features& estimate, const Draws& draws,
                     const Check& check);

/// A feature matrix with a small expected loss, at most the expected loss of `start`. The search
/// begins from `start` and from evenly spaced draws. Given the matchings of all draws, the best
/// estimate has the entries whose share among the matched columns is above extra / 2; the matchings
/// and the estimate are updated in turn. Then columns are removed and added and single entries are
/// flipped, as long as the expected loss falls.
Features search_estimate(const FeatureLoss& loss, const Features& start,
                         const std::vector<Features>& draws, const Check& check);

}  // namespace buffet
