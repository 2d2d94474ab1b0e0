#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/team.h"
#include "gaussian_source.h"
#include "likelihood/gaussian_masks.h"

namespace buffet {

/// The data of an ascent: what all its states share. The rows of the source are those of one member
/// of a team; all else is of the rows of all members.
struct AscentData {
  Source source;
  int columns = 0;
  Team& team;
  double total = 0;     ///< sum of squares of the observed entries
  bool sparse = false;  ///< are all blocks?
  Masks masks;

  AscentData(Source source_, int columns_, Team& team_ = Solo::instance());
  AscentData(const AscentData&) = delete;

  int rows() const { return rows_; }
  /// In which all rows are.
  int blocks() const { return blocks_; }
  int own_rows() const { return source.rows(); }
  /// The first of them among all rows.
  int first_row() const { return first_row_; }
  double observed() const { return double(rows()) * columns - masks.count_hidden(); }
  double root_mean_square() const { return std::sqrt(total / std::max(observed(), 1.0)); }

  /// The member's own part of a column over all rows; columns over all rows from all own parts.
  Bits own_part(const Bits& all) const;
  std::vector<Bits> gathered(const std::vector<Bits>& own) const;

  /// Columns of all rows, or Z, as bytes, whoever has which of the rows.
  void archive(Archive& a, std::vector<Bits>& own) const;
  void archive(Archive& a, Features& own) const;
  /// The same of a matrix with a column a row.
  void archive_columns(Archive& a, Eigen::MatrixXd& own) const;

 private:
  int rows_ = 0, first_row_ = 0, blocks_ = 0;
  std::vector<int> rows_of_;  ///< of each member
};

/// Some of all rows, in increasing order, in memory; sparse where all blocks are.
GaussianData some_rows(const AscentData& data, const std::vector<int>& rows);

/// Where an ascent starts.
struct AscentStart {
  Features features;  ///< none: the ascent has starts of its own
  std::uint64_t seed;
  double tau_x, tau_a;  ///< where precisions that are learned start, or NaN
};

}  // namespace buffet
