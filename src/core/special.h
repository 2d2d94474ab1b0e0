#pragma once

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace buffet {

/// log Gamma(x), x > 0, without the global sign that std::lgamma writes.
inline double log_gamma(double x) {
  using namespace boost::math::policies;
  return boost::math::lgamma(x, policy<promote_double<false>>());
}

/// The derivative of log_gamma().
inline double digamma(double x) {
  return boost::math::digamma(x);
}

inline double log_factorial(int n) {
  return n < 2 ? 0.0 : log_gamma(n + 1.0);
}

inline double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

}  // namespace buffet
