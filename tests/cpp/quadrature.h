#pragma once

// Numerical integrals for checking closed forms in the core.

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <functional>

namespace test {

/// Integral of f between `from` and `to`, by Gauss-Legendre quadrature on pieces. This is not a
/// template, because the quadrature would then be compiled again for every type of f.
inline long double integral(const std::function<long double(long double)>& f, long double from,
                            long double to, int pieces = 16) {
  long double sum = 0;
  const long double width = (to - from) / pieces;
  for (int n = 0; n < pieces; ++n)
    sum += boost::math::quadrature::gauss<long double, 20>::integrate(f, from + n * width,
                                                                      from + (n + 1) * width);
  return sum;
}

/// Moments and entropy of N(location, scale^2) truncated to [0, inf), and the log of the
/// probability of [0, inf) under the untruncated normal.
struct Truncated {
  double mean, variance, entropy, log_mass;
};

inline Truncated truncated(double location, double scale) {
  const long double t = static_cast<long double>(location) / scale, mode = std::max(t, 0.0L);
  // Below this, the density is less than e^-70 times its maximum.
  const long double below = t > 12 ? t - 12 : 0;
  const long double above = t > 0 ? t + 12 : t + std::sqrt(t * t + 140);
  const auto log_ratio = [&](long double a) {
    return -0.5L * (a - mode) * (a - mode) - (mode - t) * (a - mode);
  };
  const auto expected = [&](auto f) {
    return integral([&](long double a) { return f(a) * std::exp(log_ratio(a)); }, below, above);
  };
  const long double total = expected([](long double) { return 1.0L; });
  const long double mean = expected([](long double a) { return a; }) / total;
  const long double variance =
      expected([&](long double a) { return (a - mean) * (a - mean); }) / total;
  const long double log_density = expected(log_ratio) / total - std::log(total);
  const long double log_scale = std::log(static_cast<long double>(scale));
  const long double pi = 3.14159265358979323846264338L;
  return {static_cast<double>(scale * mean),
          static_cast<double>(scale * static_cast<long double>(scale) * variance),
          static_cast<double>(log_scale - log_density),
          static_cast<double>(std::log(total) - 0.5L * (mode - t) * (mode - t) -
                              0.5L * std::log(2 * pi))};
}

}  // namespace test
