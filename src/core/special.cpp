#include "special.h"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace buffet {

double log_gamma(double x) {
  using namespace boost::math::policies;
  return boost::math::lgamma(x, policy<promote_double<false>>());
}

double digamma(double x) {
  return boost::math::digamma(x);
}

}  // namespace buffet
