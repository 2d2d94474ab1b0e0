#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "group_moments.h"

namespace buffet {

/// Features with the same rows so far, adjacent columns. How many of them the next row has is all
/// that distinguishes its assignments: it has the first.
struct FeatureClass {
  int first, size;
  double log_odds, log_off;  ///< as Sequential has them

  double log_prob(int held) const;
};

/// Which groups of columns a row has. `has` and `alone` are 1 or 0; groups of one column, which are
/// many if entries are missing here and there, need but one logarithm of a product.
struct RowGroups {
  Eigen::ArrayXd has, alone;
  std::vector<std::pair<int, double>> wide;  ///< groups of more columns, and how many
  double columns = 0;                        ///< of all

  RowGroups() = default;
  explicit RowGroups(const Eigen::ArrayXd& counts);

  /// The sum over the columns that the row has of log s, which each group has one of.
  double sum_log(const Eigen::ArrayXd& s) const;
};

/// What the columns say of the next row: M and G, the squares of the row and c = mu' x in each
/// group.
struct RowTerms {
  RowGroups groups;
  Eigen::ArrayXd squares;
  Eigen::MatrixXd c;
  const GroupMoments* moments = nullptr;
};

/// An assignment of the next row: how many features of each class it has, and where that puts it.
struct Assignment {
  std::vector<int> held;
  GroupPositions at;
  double log_prior = 0, value = 0;  ///< value: log prior + log density
};

/// Assignments of the next row to the features that there are, while it has so many new ones, each
/// of which adds 1/rho to t.
class BeamProblem {
 public:
  std::vector<FeatureClass> classes;
  RowTerms row;
  double from_new = 0;

  /// The variance of the noise.
  explicit BeamProblem(double variance)
      : variance_(variance), log_unit_(std::log(2 * M_PI * variance)) {}

  /// None of the features.
  Assignment none() const;

  /// Its value with this many features of class q.
  double value(const Assignment& a, int q, int held) const;

  void move(Assignment& a, int q, int held) const;

  /// From none: the best change of one class by one until none helps.
  Assignment climb() const;

 private:
  double log_prior(const Assignment& a, int q, int held) const;

  double log_density(const Eigen::ArrayXd& t, const Eigen::ArrayXd& r) const;

  /// t_ and r_ with this many of class q.
  void try_move(const Assignment& a, int q, int held) const;

  double variance_, log_unit_;
  mutable Eigen::ArrayXd t_, r_, spread_;
};

/// The best assignments of a row: from the one that climbing ends at, class after class takes every
/// number, and the best `width` stay; anew from the best of them if that is another. All of them
/// where there is no limit.
class RowBeam {
 public:
  static constexpr int no_limit = std::numeric_limits<int>::max();

  int size() const { return size_; }
  const Assignment& operator[](int s) const { return now_[s]; }

  /// Of those whose value is below the floor it has one at most.
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
