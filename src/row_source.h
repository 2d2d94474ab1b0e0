#pragma once

#include <RcppEigen.h>

#include <optional>
#include <utility>
#include <vector>

#include "gaussian/gaussian_rows.h"
#include "gaussian_glue.h"

namespace buffet {

/// Data in memory, or blocks of rows returned by an R function: list(read, sizes, columns).
class RSource {
 public:
  explicit RSource(const Rcpp::RObject& x) {
    if (holds(x)) {
      source_.emplace(*whole_);
      return;
    }
    const Rcpp::List blocks(x);
    const Rcpp::Function read = blocks["read"];
    source_.emplace(Rcpp::as<std::vector<int>>(blocks["sizes"]),
                    [read](int b) { return as_data(read(b + 1), false); });
  }
  /// For a worker of a cluster: reads all its blocks now. The arguments give the number of its
  /// first block and, for a matrix, the number of rows per block.
  RSource(const Rcpp::RObject& x, int first_block, int block_rows) {
    if (holds(x)) {
      source_.emplace(*whole_, block_rows, first_block);
      return;
    }
    const Rcpp::List blocks(x);
    const Rcpp::Function read = blocks["read"];
    const int count = Rf_length(blocks["sizes"]);
    std::vector<GaussianData> held;
    held.reserve(count);  // growing would copy them
    for (int b = 1; b <= count; ++b) held.push_back(as_data(read(b), false));
    source_.emplace(std::move(held), first_block);
  }
  static RSource of_member(const Rcpp::RObject& x, const Rcpp::List& share) {
    return RSource(x, share["first_block"], share["block_rows"]);
  }
  static RSource held(const Rcpp::RObject& x) {
    if (x.isS4() || Rf_isMatrix(x)) return RSource(x);
    return RSource(x, 0, 0);
  }
  RSource(const RSource&) = delete;  // source_ points to whole_

  const Source& source() const { return *source_; }
  /// Moves the source out, without copying its blocks.
  Source take() { return std::move(*source_); }
  const GaussianData* whole() const { return whole_ ? &*whole_ : nullptr; }
  int columns() const { return columns_; }

 private:
  /// Reads the number of columns and, if x is a matrix, the whole of it. Returns true if x is a
  /// matrix.
  bool holds(const Rcpp::RObject& x) {
    const bool matrix = x.isS4() || Rf_isMatrix(x);
    if (matrix) whole_.emplace(as_data(x, false));
    columns_ = matrix ? whole_->columns() : Rcpp::as<int>(Rcpp::List(x)["columns"]);
    return matrix;
  }

  std::optional<GaussianData> whole_;
  std::optional<Source> source_;
  int columns_;
};

}  // namespace buffet
