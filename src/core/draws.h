#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "features.h"

namespace buffet {

/// Saved draws of Z with the same number of rows, as stored in a Trace.
class Draws {
 public:
  /// The number of words must match the draws, and no bit may be set beyond the last row.
  Draws(int rows, std::vector<int> sizes, const std::vector<std::uint64_t>& words)
      : rows_(rows), sizes_(std::move(sizes)), words_(words.data()) {
    check(rows >= 0, "rows");
    std::size_t at = 0;
    for (int size : sizes_) {
      check(size >= 0, "sizes");
      starts_.push_back(at);
      at += size * words_per_column();
    }
    check(at == words.size(), "bits");
    if (rows % 64 == 0) return;
    for (std::size_t last = words_per_column(); last <= at; last += words_per_column())
      check(words_[last - 1] >> (rows % 64) == 0, "bits");
  }

  /// Number of columns in all draws together.
  std::size_t columns() const {
    return std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0});
  }
  int size() const { return static_cast<int>(sizes_.size()); }
  int rows() const { return rows_; }

  Features operator[](int draw) const {
    check(draw >= 0 && draw < size(), "number");
    Features z(rows_);
    const std::uint64_t* from = words_ + starts_[draw];
    for (int k = 0; k < sizes_[draw]; ++k, from += words_per_column()) {
      Bits column(rows_);
      column.words().assign(from, from + words_per_column());
      z.add(std::move(column));
    }
    return z;
  }

 private:
  static void check(bool sound, const char* part) {
    if (!sound)
      throw std::runtime_error(std::string("the kept draws are damaged in their ") + part + ".");
  }
  std::size_t words_per_column() const { return (rows_ + 63) / 64; }

  int rows_;
  std::vector<int> sizes_;
  std::vector<std::size_t> starts_;
  const std::uint64_t* words_;
};

/// Inner product of Z Z' and Y Y', which count the features that each pair of rows shares.
inline double shared_norm(const Features& z, const Features& y) {
  double sum = 0;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < y.size(); ++l) {
      const double n = z.column(k).count_shared(y.column(l));
      sum += n * n;
    }
  return sum;
}

/// Inner product of Z Z' and Y Y' after centring the columns of Z and Y; it does not change if a
/// feature is replaced by its complement.
inline double centred_norm(const Features& z, const Features& y) {
  double sum = 0;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < y.size(); ++l) {
      const double mean = double(z.count(k)) * y.count(l) / std::max(1, z.rows());
      const double n = z.column(k).count_shared(y.column(l)) - mean;
      sum += n * n;
    }
  return sum;
}

/// The draw among `candidates` with the smallest sum of squared distances |Z Z' - Y Y'|^2 to the
/// others, given an inner product of Z Z' and Y Y'. The order of features does not matter.
template <class InnerProduct>
int medoid(const Draws& draws, const std::vector<int>& candidates, InnerProduct product) {
  const int n = static_cast<int>(candidates.size());
  std::vector<Features> z;
  for (int draw : candidates) z.push_back(draws[draw]);
  std::vector<double> sum(n, 0), norm(n);
  for (int a = 0; a < n; ++a) {
    norm[a] = product(z[a], z[a]);
    for (int b = 0; b < a; ++b) {
      const double shared = product(z[a], z[b]);
      sum[a] -= 2 * shared;
      sum[b] -= 2 * shared;
    }
  }
  int best = 0;
  const auto cost = [&](int a) { return sum[a] + (n - 2) * norm[a]; };
  for (int a = 1; a < n; ++a)
    if (cost(a) < cost(best)) best = a;
  return candidates[best];
}

}  // namespace buffet
