#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "core/check.h"
#include "core/features.h"
#include "core/tally.h"

namespace buffet {

/// True if the overlap of the pair is small in one direction, so that XOR can undo a recombination.
/// Swapping n10 and n11, as the move does, does not affect this condition.
inline bool worth_exclusive_or(const Features& z, int k, int l) {
  const int n11 = z.count_shared(k, l), n10 = z.count(k) - n11, n01 = z.count(l) - n11;
  if (n10 + n01 == 0) return false;
  return std::min({n11, n10, n01}) <= 0.1 * std::max({n11, n10, n01});
}

/// Proposes another, nonempty column to replace column l.
template <class Chain>
bool replace_column(int l, Bits column, Chain& chain) {
  auto& z = chain.z;
  const double log_prior = chain.prior.log_ratio_replaced(z, l, column);
  const double log_accept = chain.likelihood.log_ratio_replaced(l, column, z) + log_prior;
  if (!(std::log(chain.rng.uniform()) < log_accept)) return false;
  z.replace(l, std::move(column));
  chain.prior.replaced(z, l);
  auto statistics = chain.likelihood.statistics();
  statistics.set_column(l, z, chain.likelihood.completed());
  chain.likelihood.accept(std::move(statistics));
  return true;
}

/// Proposes the complement of every column in turn. This is the exclusive or of the column with the
/// bias, which every row has. For regressions with a bias.
struct Complement {
  static constexpr const char* name = "complement";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    const Features& z = chain.z;
    Tally tally;
    if (!chain.likelihood.prior().has_bias) return tally;
    for (int l = 0; l < z.size(); ++l) {
      check();
      if (z.count(l) < z.rows())
        tally.add(replace_column(l, complement(z.column(l), z.rows()), chain));
    }
    return tally;
  }
};

/// The n-th ordered pair of distinct numbers below `size`.
inline std::pair<int, int> ordered_pair(std::int64_t n, int size) {
  const int k = static_cast<int>(n / (size - 1)), l = static_cast<int>(n % (size - 1));
  return {k, l + (l >= k)};
}

/// Proposes z_l <- z_l XOR z_k in all rows, an involution that keeps the number of features, for
/// min(3K, K(K-1), 150) ordered pairs without replacement.
struct ExclusiveOr {
  static constexpr const char* name = "exclusive-or";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    const std::int64_t size = chain.z.size(), count = size * (size - 1);
    const std::int64_t tries = std::min({3 * size, std::int64_t{150}, count});
    // The entries that the partial shuffle has moved, by position.
    std::unordered_map<std::int64_t, std::int64_t> moved;
    const auto at = [&](std::int64_t place) {
      const auto found = moved.find(place);
      return found == moved.end() ? place : found->second;
    };
    Tally tally;
    for (std::int64_t n = 0; n < tries; ++n) {
      check();
      const auto drawn = n + static_cast<std::int64_t>(chain.rng.uniform() * double(count - n));
      const auto [k, l] = ordered_pair(at(drawn), static_cast<int>(size));
      moved[drawn] = at(n);
      if (!worth_exclusive_or(chain.z, k, l)) continue;
      Bits column = chain.z.column(l);
      column ^= chain.z.column(k);
      tally.add(replace_column(l, std::move(column), chain));
    }
    return tally;
  }
};

}  // namespace buffet
