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

/// A matrix for the rows so far, with the quantities that determine how the next rows are scored.
/// Features with the same rows are adjacent columns, and columns do not move.
struct BeamState {
  double score = 0;          ///< log P([Z]) + log p(X | Z) of these rows
  std::vector<int> counts;   ///< number of rows with each feature
  std::vector<int> classes;  ///< sizes of the groups of features with the same rows, in order
  Eigen::MatrixXd p;         ///< X'Z
  GroupMoments moments;
  int node = -1;  ///< node of the last row

  int size() const { return static_cast<int>(counts.size()); }

  /// Terms of row i, which is not among the rows so far.
  RowTerms terms(const BeamModel& model, int i) const;

  /// Classes of features for the row that comes after n others.
  std::vector<FeatureClass> feature_classes(const Sequential& prior, int n) const;
};

/// A row to be added to a matrix: which existing features it has, and how many new ones.
struct BeamRow {
  Assignment of;
  int born;

  /// The features of the row, in a matrix with these classes.
  std::vector<int> features(const std::vector<int>& classes) const;

  /// The classes after adding the row: classes of which it has only some features are split.
  std::vector<int> split(const std::vector<int>& classes) const;

  /// The position of the row, including its new features.
  GroupPositions position(double rho) const;

  /// c = mu' x for another row, extended by zeros for the new features.
  Eigen::MatrixXd with_new(Eigen::MatrixXd c) const;
};

/// Adds a row; `terms` are its terms given the matrix without it.
struct AddedRow {
  const BeamRow& row;
  const BeamModel& model;
  const RowTerms& terms;
};

/// M and G including the added row.
GroupMoments moments_with(const AddedRow& added, GroupMoments moments);

/// Upper estimate of the contribution of some later rows to the score: each of these rows is scored
/// given only the rows up to the next one, with the assignment found by climbing and at most one
/// new feature.
class BeamAhead {
 public:
  /// `rows`: the next row, which comes after `done` others, and the rows after it.
  BeamAhead(const BeamModel& model, int done, const std::vector<int>& rows, int max_features);

  /// Adds the given states of the search before the next row, in their order.
  void add(const BeamState& state);

  struct Candidate {
    const BeamState& state;
    const RowTerms& terms;
    const BeamRow& row;
    int number;  ///< index of the state
  };

  /// After adding the next row, mu becomes mu + (x - mu z) u' / (1 + t), and c changes accordingly.
  double bonus(const Candidate& c) const;

 private:
  /// A class for each single feature; the last one is for a new feature.
  std::vector<FeatureClass> classes_after(const Candidate& c, bool room) const;

  const BeamModel& model_;
  int done_, next_;
  std::vector<int> rows_;
  int max_features_;
  std::vector<Eigen::ArrayXd> shared_;        ///< products of each later row with the next row
  std::vector<std::vector<RowTerms>> known_;  ///< for each state, the terms of each later row
};

}  // namespace buffet
