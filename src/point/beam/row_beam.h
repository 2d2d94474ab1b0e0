#pragma once

#include <Eigen/Dense>
#include <limits>
#include <utility>
#include <vector>

#include "gaussian_groups.h"

namespace buffet {

/// Features with the same rows so far, adjacent columns. How many of them the next row has is all
/// that tells its assignments apart: it has the first.
struct FeatureClass {
  int first, size;
  double log_odds, log_off;  ///< as Sequential has them

  double log_prob(int held) const;
};

/// What the columns of a group say of the next row: M, G and c = mu' x.
struct GroupTerms {
  double columns, square;
  const LoadingsMoments* moments;
  Eigen::VectorXd c;
};

/// An assignment of the next row: how many features of each class it has, and where that puts it in
/// each group that it has.
struct Assignment {
  std::vector<int> held;
  std::vector<GroupPosition> at;
  double log_prior = 0, value = 0;  ///< value: log prior + log density
};

/// Assignments of the next row to the features that there are, while it has so many new ones, each
/// of which adds 1/rho to t.
class BeamProblem {
 public:
  std::vector<FeatureClass> classes;
  std::vector<GroupTerms> groups;
  double variance = 1, from_new = 0;

  /// None of the features.
  Assignment none() const;

  /// Its value with this many of class q.
  double value(const Assignment& a, int q, int held) const;

  void move(Assignment& a, int q, int held) const;

  /// From none: the best change of one class by one until none helps.
  Assignment climb() const;

 private:
  double log_prior(const Assignment& a, int q, int held) const;

  double log_density(std::size_t g, double t, double r) const;

  /// t and r of a group with this many of class q.
  std::pair<double, double> moved(const Assignment& a, int q, int held, std::size_t g) const;
};

/// The best assignments of a row: from the one that climbing ends at, class after class takes every
/// number, and the best `width` stay; anew from the best of them where that is another. All of them
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
