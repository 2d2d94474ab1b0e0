#pragma once

#include <array>

namespace buffet {

/// How a likelihood has starts searched for, where the warm-up has room for it.
struct SearchShape {
  int starts, sweeps_each, sweeps_best;
  double density;  ///< of the one feature that a start begins with
};

/// Which of some bits of a row are flipped: subset c flips bit a where its digit 2^a is 1.
struct Flips {
  static constexpr int most = 5, subsets = 1 << most;

  /// Squared distances in units of the noise beyond which a row is not moved at once.
  static constexpr double within_reach = 400;
};

/// A quadratic function of the flipped bits: none + sum_a one_a + sum_(b < a) two_ab.
struct QuadraticOfFlips {
  double none = 0;
  std::array<double, Flips::most> one{};
  std::array<std::array<double, Flips::most>, Flips::most> two{};

  /// Its values at all subsets of the first `size` bits.
  void values(int size, double* out) const {
    std::array<double, Flips::subsets / 2> gain;  // of flipping a after a subset of those before it
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
