#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "group_moments.h"

namespace buffet {

/// Features that have had the same rows so far, which are adjacent columns. Assignments of the next
/// row differ only in the number of these features that it has, and it always has the first ones.
struct FeatureClass {
  int first, size;
  double log_odds, log_off;  ///< as in Sequential

  double log_prob(int held) const;
};

/// The groups of columns that a row observes. `has` and `alone` are 1 or 0; groups with a single
/// column, which are many if missing entries are scattered, need only one logarithm of a product.
struct RowGroups {
  Eigen::ArrayXd has, alone;
  std::vector<std::pair<int, double>> wide;  ///< groups with several columns, and how many they
                                             ///< have
  double columns = 0;                        ///< total number

  RowGroups() = default;
  explicit RowGroups(const Eigen::ArrayXd& counts);

  /// The sum of log s over the columns that the row observes, with the same s for all columns of a
  /// group.
  double sum_log(const Eigen::ArrayXd& s) const;
};

/// The data on the next row: M and G, and the row's squares and c = mu' x in each group.
struct RowTerms {
  RowGroups groups;
  Eigen::ArrayXd squares;
  Eigen::MatrixXd c;
  const GroupMoments* moments = nullptr;
};

/// An assignment of the next row: how many features of each class it has, and the resulting
/// position.
struct Assignment {
  std::vector<int> held;
  GroupPositions at;
  double log_prior = 0, value = 0;  ///< value: log prior + log density
};

/// Assignments of existing features to the next row, given its number of new features, each of
/// which adds 1/rho to t.
class BeamProblem {
 public:
  std::vector<FeatureClass> classes;
  RowTerms row;
  double from_new = 0;

  /// `variance`: noise variance.
  explicit BeamProblem(double variance)
      : variance_(variance), log_unit_(std::log(2 * M_PI * variance)) {}

  /// The assignment without any features.
  Assignment none() const;

  /// Value of the assignment with this many features of class q.
  double value(const Assignment& a, int q, int held) const;

  void move(Assignment& a, int q, int held) const;

  /// Starts without features and repeatedly makes the best change of a single count by one, until
  /// no change increases the value.
  Assignment climb() const;

 private:
  double log_prior(const Assignment& a, int q, int held) const;

  double log_density(const Eigen::ArrayXd& t, const Eigen::ArrayXd& r) const;

  /// Sets t_ and r_ to the position with this many features of class q.
  void try_move(const Assignment& a, int q, int held) const;

  double variance_, log_unit_;
  mutable Eigen::ArrayXd t_, r_, spread_;
};

/// The best assignments of a row. Starting from the result of climbing, each class in turn gets
/// every possible count, and the best `width` assignments are kept; this is repeated from the best
/// assignment if it is new. Without a limit, all assignments are found.
class RowBeam {
 public:
  static constexpr int no_limit = std::numeric_limits<int>::max();

  int size() const { return size_; }
  const Assignment& operator[](int s) const { return now_[s]; }

  /// Finds all assignments whose values are above the floor, and at most one whose value is below
  /// it.
  void search(const BeamProblem& problem, int width,
              double floor = -std::numeric_limits<double>::infinity());

 private:
  static constexpr int most_rounds = 10;

  struct Option {
    double value;
    int parent, held;
  };
  struct Limits {
    int width;
    double floor;
  };
  static bool less(const Assignment& a, const Assignment& b) { return a.value < b.value; }

  void spread(const BeamProblem& problem, const Assignment& from, Limits limits);

  void keep_best(int width);

  int size_ = 0;
  std::vector<Assignment> now_, next_;
  std::vector<Option> options_;
};

}  // namespace buffet
