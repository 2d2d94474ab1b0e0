#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "quadrature.h"
#include "reference.h"

namespace test {

/// log of the integral over a >= 0 of N(x; Z a, sigma_x^2) N(a; 0, sigma_a^2) 2^K, x one column of
/// the data with NaN left out, Z with two columns at most.
inline double log_nonnegative_integral(const Eigen::MatrixXd& z, const Eigen::VectorXd& x,
                                       const Scales& sigma) {
  const auto log_density = [&](const Eigen::VectorXd& a) {
    double sum = 0;
    for (int i = 0; i < x.size(); ++i) {
      if (std::isnan(x(i))) continue;
      const double gap = x(i) - z.row(i).dot(a);
      sum -= 0.5 * std::log(2 * M_PI * sigma.x * sigma.x) + 0.5 * gap * gap * sigma.precision_x();
    }
    for (int k = 0; k < a.size(); ++k)
      sum += std::log(2 / sigma.a) - 0.5 * std::log(2 * M_PI) -
             0.5 * a(k) * a(k) * sigma.precision_a();
    return static_cast<long double>(sum);
  };
  const long double most = 9 * sigma.a;
  const int pieces = 5;
  Eigen::VectorXd a(z.cols());
  if (z.cols() == 0) return static_cast<double>(log_density(a));
  const auto inner = [&](long double first) {
    a(0) = static_cast<double>(first);
    if (z.cols() == 1) return std::exp(log_density(a));
    return integral(
        [&](long double second) {
          a(1) = static_cast<double>(second);
          return std::exp(log_density(a));
        },
        0, most, pieces);
  };
  return static_cast<double>(std::log(integral(inner, 0, most, pieces)));
}

}  // namespace test
