#pragma once

#include <Eigen/Dense>
#include <vector>

#include "gaussian_groups.h"
#include "group_moments.h"
#include "row_beam.h"
#include "sequential.h"

namespace buffet {

/// The data, the prior, the variance of the noise and its ratio to the variance of the loadings.
struct BeamModel {
  const GroupedData& data;
  Sequential prior;
  double variance, rho;
};

/// A matrix of the rows so far and what it says of the next ones. Features with the same rows are
/// adjacent columns, and columns stay where they are.
struct BeamState {
  double score = 0;          ///< log P([Z]) + log p(X | Z) of these rows
  std::vector<int> counts;   ///< rows that each feature has
  std::vector<int> classes;  ///< how many features have the same rows, one after other
  Eigen::MatrixXd p;         ///< X'Z
  GroupMoments moments;
  int node = -1;  ///< node of its last row

  int size() const { return static_cast<int>(counts.size()); }

  /// Row i, which is not one of them.
  RowTerms terms(const BeamModel& model, int i) const;

  /// For the row after n.
  std::vector<FeatureClass> feature_classes(const Sequential& prior, int n) const;
};

/// How a row is added to a matrix: what it has of the features that there are, and how many new
/// ones.
struct BeamRow {
  Assignment of;
  int born;

  /// Its features, in a matrix with these classes.
  std::vector<int> features(const std::vector<int>& classes) const;

  /// The classes with it: those that it has some of are split.
  std::vector<int> split(const std::vector<int>& classes) const;

  /// Its position, with the new features among the others.
  GroupPositions position(double rho) const;

  /// c = mu' x of another row, extended by the new features, for which it is zero.
  Eigen::MatrixXd with_new(Eigen::MatrixXd c) const;
};

/// A row that is added: `terms` are what the matrix without it says of it.
struct AddedRow {
  const BeamRow& row;
  const BeamModel& model;
  const RowTerms& terms;
};

/// M and G with the row.
GroupMoments moments_with(const AddedRow& added, GroupMoments moments);

/// Largest contribution of some later rows to the score: each given only the rows up to the next
/// one, with the assignment that climbing finds and at most one new feature.
class BeamAhead {
 public:
  /// `rows`: the next, after `done` others, and those after it.
  BeamAhead(const BeamModel& model, int done, const std::vector<int>& rows, int max_features);

  /// The states, in their order, before the next row.
  void add(const BeamState& state);

  struct Candidate {
    const BeamState& state;
    const RowTerms& terms;
    const BeamRow& row;
    int number;  ///< of the state
  };

  /// With the next row, mu becomes mu + (x - mu z) u' / (1 + t), and c with it.
  double bonus(const Candidate& c) const;

 private:
  /// Each feature alone; the last is a new one.
  std::vector<FeatureClass> classes_after(const Candidate& c, bool room) const;

  const BeamModel& model_;
  int done_, next_;
  std::vector<int> rows_;
  int max_features_;
  std::vector<Eigen::ArrayXd> shared_;        ///< x' of each of the rows, x the next one
  std::vector<std::vector<RowTerms>> known_;  ///< of each state, those of each of the rows
};

}  // namespace buffet
