#include <testthat/vendor/catch.h>

#include <cmath>

#include "core/hyper.h"

using buffet::Hyper;

TEST_CASE("the prior density of a hyperparameter integrates to one on either scale") {
  Hyper h = Hyper::gamma(2.7, 1.6);
  CHECK(h.value == Approx(2.7 / 1.6));
  double on_log_scale = 0, on_own_scale = 0;
  const double step = 1e-3;
  for (double log_v = -25; log_v < 5; log_v += step) {
    h.value = std::exp(log_v);
    on_log_scale += step * std::exp(h.log_prior_of_log(h.value));
    on_own_scale += step * h.value * std::exp(h.log_prior());
  }
  CHECK(on_log_scale == Approx(1).epsilon(1e-9));
  CHECK(on_own_scale == Approx(1).epsilon(1e-9));
}

TEST_CASE("a fixed hyperparameter has no prior density") {
  const Hyper h = Hyper::fixed(2.2);
  CHECK(h.value == 2.2);
  CHECK(h.log_prior() == 0);
  CHECK(h.log_prior_of_log(3.0) == 0);
}
