#pragma once

namespace buffet {

/// log Gamma(x), x > 0, without the global sign that std::lgamma writes.
double log_gamma(double x);

/// Derivative of log_gamma().
double digamma(double x);

inline double log_factorial(int n) {
  return n < 2 ? 0.0 : log_gamma(n + 1.0);
}

inline double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

}  // namespace buffet
