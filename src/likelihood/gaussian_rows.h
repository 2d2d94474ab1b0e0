#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/bits.h"
#include "core/features.h"
#include "core/team.h"
#include "gaussian_source.h"

namespace buffet {

/// The rows of linear-Gaussian data. Those of the source are those of one member of a team; all
/// else is of the rows of all members.
struct GaussianRows {
  Source source;
  int columns = 0;
  Team& team;
  double total = 0;     ///< sum of squares of the observed entries
  bool sparse = false;  ///< are all blocks?

  /// also(block) is called for every block of the source, which is read once.
  template <class Also>
  GaussianRows(Source source_, int columns_, Team& team_, Also also);
  explicit GaussianRows(Source source_, int columns_, Team& team_ = Solo::instance());
  GaussianRows(const GaussianRows&) = delete;

  int rows() const { return rows_; }
  /// In which all rows are.
  int blocks() const { return blocks_; }
  int own_rows() const { return source.rows(); }
  /// The first of them among all rows.
  int first_row() const { return first_row_; }
  bool complete() const { return hidden_ == 0; }
  double observed() const { return double(rows()) * columns - hidden_; }
  double root_mean_square() const { return std::sqrt(total / std::max(observed(), 1.0)); }

  /// The member's own part of a column over all rows, or of Z; columns over all rows from all own
  /// parts.
  Bits own_part(const Bits& all) const;
  Features own_part(const Features& all) const;
  std::vector<Bits> gathered(const std::vector<Bits>& own) const;

  /// Columns of all rows, or Z, as bytes, whoever has which of the rows.
  void archive(Archive& a, std::vector<Bits>& own) const;
  void archive(Archive& a, Features& own) const;
  /// The same of a matrix with a column a row.
  void archive_columns(Archive& a, Eigen::MatrixXd& own) const;

 private:
  /// What all members have: own is blocks, dense blocks and missing entries.
  void count_all(const TreeSum& squares, const Eigen::Vector3d& own);

  int rows_ = 0, first_row_ = 0, blocks_ = 0;
  double hidden_ = 0;
  std::vector<int> rows_of_;  ///< of each member
};

template <class Also>
GaussianRows::GaussianRows(Source source_, int columns_, Team& team_, Also also)
    : source(std::move(source_)), columns(columns_), team(team_) {
  TreeSum squares;
  Eigen::Vector3d own(source.blocks(), 0, 0);
  source.for_each([&](const RowBlock& b) {
    own(1) += !b.x.is_sparse();
    own(2) += b.x.hidden_from(b.from + b.count) - b.x.hidden_from(b.from);
    squares.add(b.number, Eigen::VectorXd::Constant(1, b.x.total(b.from, b.count)));
    also(b);
  });
  count_all(squares, own);
}

/// Some of all rows, in increasing order, in memory; sparse where all blocks are.
GaussianData some_rows(const GaussianRows& data, const std::vector<int>& rows);

}  // namespace buffet
