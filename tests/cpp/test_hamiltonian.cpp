#include <testthat/vendor/catch.h>

#include <cmath>

#include "core/hamiltonian.h"
#include "scale.h"
#include "statistics.h"

using namespace test;
using buffet::Rng;

namespace {

/// Two coordinates on the log scale: a Gamma variable with shape 2.3, and a normal variable centred
/// on its logarithm.
struct Target {
  int slopes_asked = 0;

  double log_density(const std::vector<double>& y) const {
    const double d = y[1] - y[0];
    return 2.3 * y[0] - std::exp(y[0]) - 0.5 * d * d / 0.49;
  }
  void slopes(const std::vector<double>& y, std::vector<double>& gradient) {
    ++slopes_asked;
    const double d = (y[1] - y[0]) / 0.49;
    gradient[0] = 2.3 - std::exp(y[0]) + d;
    gradient[1] = -d;
  }
};

}  // namespace

// The steps are so long that a third of the trajectories are rejected.
TEST_CASE("trajectories leave a density invariant, whatever their step size") {
  for (double step : {0.15, 0.7}) {
    const int draws = scaled(300000);
    BatchMean gamma(draws, 200), square(draws, 200), difference(draws, 200), spread(draws, 200);
    Target target;
    Rng rng(221);
    std::vector<double> y{0, 0};
    int accepted = 0;
    for (int n = 0; n < draws; ++n) {
      accepted += buffet::hamiltonian_step(y, target, {step, 6}, rng);
      const double x = std::exp(y[0]), d = y[1] - y[0];
      gamma.add(x);
      square.add(x * x);
      difference.add(d);
      spread.add(d * d);
    }
    CHECK(std::abs(gamma.z(2.3)) < 4.5);
    CHECK(std::abs(square.z(2.3 * 3.3)) < 4.5);
    CHECK(std::abs(difference.z(0)) < 4.5);
    CHECK(std::abs(spread.z(0.49)) < 4.5);
    CHECK((step > 0.5) == (accepted < 0.9 * draws));
    CHECK(accepted > 0.2 * draws);
  }
}

TEST_CASE("trajectories without coordinates do nothing") {
  struct {
    double log_density(const std::vector<double>&) const { return 0; }
    void slopes(const std::vector<double>&, std::vector<double>&) const {}
  } nothing;
  Rng rng(222);
  std::vector<double> none;
  CHECK(buffet::hamiltonian_step(none, nothing, {0.1, 3}, rng));
  CHECK(none.empty());
}
