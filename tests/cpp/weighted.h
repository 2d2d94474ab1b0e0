#pragma once

namespace test {

/// A mean by self-normalised importance sampling.
struct Weighted {
  double total = 0, sum = 0, squares = 0, with_v = 0, with_square = 0;

  void add(double weight, double v) {
    total += weight;
    sum += weight * v;
    squares += weight * weight;
    with_v += weight * weight * v;
    with_square += weight * weight * v * v;
  }
  double value() const { return sum / total; }
  double effective() const { return total * total / squares; }
  double variance() const {
    const double m = value();
    return (with_square - 2 * m * with_v + m * m * squares) / (total * total);
  }
};

}  // namespace test
