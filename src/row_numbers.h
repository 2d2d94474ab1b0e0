#pragma once

#include <RcppEigen.h>

#include <cstdint>
#include <vector>

#include "core/rng.h"
#include "core/row_key.h"

namespace buffet {

/// Random numbers for new rows. By default they depend only on the row itself, so equal rows get
/// equal numbers. If `apart` is true, they depend on the position of the row, so equal rows get
/// independent draws.
class RowNumbers {
 public:
  /// x: one row per column; plan: seed, apart, and first, the number of the first draw.
  RowNumbers(const Eigen::MatrixXd& x, const Rcpp::List& plan)
      : rng_(Rcpp::as<int>(plan["seed"]), 1000), keys_(x.cols()) {
    const bool apart = plan["apart"];
    const int first = plan["first"];
    for (Eigen::Index i = 0; i < x.cols(); ++i)
      keys_[i] = (apart ? static_cast<std::uint64_t>(i) << 32 : row_key(x.col(i))) + first;
  }

  Rng of(Eigen::Index row, int draw = 0) const {
    Rng rng = rng_;
    rng.begin(keys_[row] + draw);
    return rng;
  }
  /// Seeds for the random numbers of each row.
  std::vector<std::uint64_t> keys(int draw) const {
    auto keys = keys_;
    for (std::uint64_t& key : keys) key += draw;
    return keys;
  }

 private:
  Rng rng_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace buffet
