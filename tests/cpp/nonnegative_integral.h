#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "quadrature.h"
#include "reference.h"

namespace test {

/// log of the integral over a >= 0 of N(x; Z a, sigma_x^2) N(a; 0, sigma_a^2) 2^K, where x is one
/// column of the data without its NaN entries, and Z has at most three columns.
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
  Eigen::VectorXd a(z.cols());
  const std::function<long double(int)> over = [&](int k) {
    if (k == z.cols()) return std::exp(log_density(a));
    return integral(
        [&, k](long double loading) {
          a(k) = static_cast<double>(loading);
          return over(k + 1);
        },
        0, 9 * sigma.a, 5);
  };
  return static_cast<double>(std::log(over(0)));
}

}  // namespace test
