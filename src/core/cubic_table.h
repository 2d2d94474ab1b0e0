#pragma once

#include <cmath>
#include <vector>

namespace buffet {

/// A function on an interval, by cubic interpolation from its exact values and slopes: ten times as
/// fast as the library's exp() and log(), and accurate to 1e-11 where the fourth derivative is
/// about 1.
class CubicTable {
 public:
  /// A table on [from, to], which are integers; value(t) and slope(t) are evaluated at the nodes.
  template <class Value, class Slope>
  CubicTable(int from, int to, Value value, Slope slope) : from_(from) {
    const int intervals = (to - from) * per_unit;
    cubics_.reserve(intervals);
    double left = value(from), a = slope(from) / per_unit;
    for (int n = 1; n <= intervals; ++n) {
      const double at = from + double(n) / per_unit;
      const double right = value(at), b = slope(at) / per_unit, rise = right - left;
      cubics_.push_back({left, a, 3 * rise - 2 * a - b, a + b - 2 * rise});
      left = right;
      a = b;
    }
  }

  /// The value at t in [from, to).
  double operator()(double t) const {
    const double at = (t - from_) * per_unit;
    const int n = static_cast<int>(at);
    const double u = at - n;
    const Cubic& c = cubics_[n];
    return c.c0 + u * (c.c1 + u * (c.c2 + u * c.c3));
  }

 private:
  static constexpr int per_unit = 128;
  struct Cubic {
    double c0, c1, c2, c3;
  };

  double from_;
  std::vector<Cubic> cubics_;
};

constexpr int softplus_reach = 37;  ///< beyond it, exp(-x) is negligible next to 1

/// log(1 + exp(-x)) for x >= 0.
inline const CubicTable softplus_table(
    0, softplus_reach, [](double x) { return std::log1p(std::exp(-x)); },
    [](double x) { return -1 / (1 + std::exp(x)); });

/// log(1 + exp(t)), accurate to 1e-11 and ten times as fast as the library.
inline double quick_softplus(double t) {
  const double x = std::abs(t);
  return (t > 0 ? t : 0) + (x < softplus_reach ? softplus_table(x) : 0);
}

}  // namespace buffet
