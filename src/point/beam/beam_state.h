#pragma once

#include <Eigen/Dense>
#include <vector>

#include "gaussian_groups.h"
#include "row_beam.h"
#include "sequential.h"

namespace buffet {

/// The data, the prior, the variance of the noise and its ratio to that of the loadings.
struct BeamModel {
  const GroupedData& data;
  Sequential prior;
  double variance, rho;
};

/// A matrix of the rows so far and what it says of the next ones. Features with the same rows are
/// adjacent columns, and columns stay where they are.
struct BeamState {
  double score = 0;                      ///< log P([Z]) + log p(X | Z) of these rows
  std::vector<int> counts;               ///< rows that each feature has
  std::vector<int> classes;              ///< how many features have the same rows, one after other
  Eigen::MatrixXd p;                     ///< X'Z
  std::vector<LoadingsMoments> moments;  ///< of each group of columns
  int node = -1;                         ///< where its last row is kept

  int size() const { return static_cast<int>(counts.size()); }

  /// Row i, which is not one of them, in each group that it has.
  std::vector<GroupTerms> terms(const BeamModel& model, int i) const {
    std::vector<GroupTerms> terms;
    for (int g : model.data.of_row(i))
      terms.push_back({model.data.count(g), model.data.square(i, g), &moments[g],
                       moments[g].m * model.data.times(p, i, g)});
    return terms;
  }

  /// For the row after n.
  std::vector<FeatureClass> feature_classes(const Sequential& prior, int n) const {
    std::vector<FeatureClass> all;
    int first = 0;
    for (int size : classes) {
      all.push_back(
          {first, size, prior.log_odds(n, counts[first]), prior.log_off(n, counts[first])});
      first += size;
    }
    return all;
  }
};

/// How a row is added to a matrix: what it has of the features that there are, and how many new
/// ones.
struct BeamRow {
  Assignment of;
  int born;

  /// The features that it has, of a matrix with these classes.
  std::vector<int> features(const std::vector<int>& classes) const {
    std::vector<int> on;
    int first = 0;
    for (std::size_t q = 0; q < classes.size(); ++q) {
      for (int k = 0; k < of.held[q]; ++k) on.push_back(first + k);
      first += classes[q];
    }
    for (int k = 0; k < born; ++k) on.push_back(first + k);
    return on;
  }

  /// The classes with it: those that it has some of are split.
  std::vector<int> split(const std::vector<int>& classes) const {
    std::vector<int> parts;
    for (std::size_t q = 0; q < classes.size(); ++q)
      for (int part : {of.held[q], classes[q] - of.held[q]})
        if (part > 0) parts.push_back(part);
    if (born > 0) parts.push_back(born);
    return parts;
  }

  /// Where it is in the n-th group that it has, the new features among the others.
  GroupPosition position(int n, double rho) const {
    GroupPosition at = of.at[n];
    at.t += born / rho;
    for (int k = 0; k < born; ++k) {
      append_entry(at.u, 1 / rho);
      append_entry(at.g, 0);
    }
    return at;
  }

  /// c = mu' x of another row, in a group, with the new features; they know nothing of it.
  Eigen::VectorXd with_new(Eigen::VectorXd c) const {
    for (int k = 0; k < born; ++k) append_entry(c, 0);
    return c;
  }
};

/// A row that is added: `i` is its number, and `terms` are what the matrix without it says of it.
struct AddedRow {
  const BeamRow& row;
  const BeamModel& model;
  int i;
  const std::vector<GroupTerms>& terms;
};

/// M and G of every group with the row.
inline std::vector<LoadingsMoments> moments_with(const AddedRow& added,
                                                 std::vector<LoadingsMoments> moments) {
  const auto& [row, model, i, terms] = added;
  for (LoadingsMoments& one : moments)
    for (int k = 0; k < row.born; ++k) one.append(1 / model.rho);
  const auto& groups = model.data.of_row(i);
  for (std::size_t n = 0; n < groups.size(); ++n)
    learn_row(moments[groups[n]], row.position(static_cast<int>(n), model.rho),
              row.with_new(terms[n].c));
  return moments;
}

}  // namespace buffet
