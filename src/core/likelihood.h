#pragma once

#include <array>

namespace buffet {

/// Settings of the search for initial states that a long enough warm-up runs.
struct SearchShape {
  int starts, sweeps_each, sweeps_best;
  double density;  ///< density of the single feature in an initial matrix
};

/// Subsets of flipped bits of a row: subset c flips bit a if its binary digit a is 1.
struct Flips {
  static constexpr int most = 5, subsets = 1 << most;

  /// Squared distance, in units of the noise, beyond which the bits of a row are not drawn jointly.
  static constexpr double within_reach = 400;
};

/// A quadratic function of the flipped bits: none + sum_a one_a + sum_(b < a) two_ab.
struct QuadraticOfFlips {
  double none = 0;
  std::array<double, Flips::most> one{};
  std::array<std::array<double, Flips::most>, Flips::most> two{};

  /// Its values at all subsets of the first `size` bits.
  void values(int size, double* out) const {
    std::array<double, Flips::subsets / 2> gain;  // of flipping a after a subset of earlier bits
    out[0] = none;
    for (int a = 0; a < size; ++a) {
      gain[0] = one[a];
      for (int b = 0; b < a; ++b)
        for (int c = 0; c < 1 << b; ++c) gain[c | 1 << b] = gain[c] + two[a][b];
      for (int c = 0; c < 1 << a; ++c) out[c | 1 << a] = out[c] + gain[c];
    }
  }
};

}  // namespace buffet
