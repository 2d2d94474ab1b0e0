#pragma once

#include <cmath>
#include <vector>

#include "rng.h"

namespace buffet {

/// Length and number of the steps of a trajectory.
struct Leapfrog {
  double length;
  int steps;
};

/// Hamiltonian Monte Carlo (Neal 2011, figure 2) with unit masses: one trajectory of leapfrog steps
/// from x. Returns true if it is accepted. The target has `log_density(x)` and `slopes(x,
/// gradient)`, which writes the gradient.
template <class Target>
bool hamiltonian_step(std::vector<double>& x, Target& target, Leapfrog leapfrog, Rng& rng) {
  thread_local std::vector<double> at, gradient, momentum;
  at = x;
  gradient.resize(x.size());
  momentum.resize(x.size());
  for (double& p : momentum) p = rng.normal();
  const auto energy = [&](double log_density) {
    double sum = -log_density;
    for (double p : momentum) sum += 0.5 * p * p;
    return sum;
  };
  const double before = energy(target.log_density(at));
  target.slopes(at, gradient);
  for (int n = 0; n < leapfrog.steps; ++n) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      momentum[k] += 0.5 * leapfrog.length * gradient[k];
      at[k] += leapfrog.length * momentum[k];
    }
    target.slopes(at, gradient);
    for (std::size_t k = 0; k < at.size(); ++k) momentum[k] += 0.5 * leapfrog.length * gradient[k];
  }
  if (!(std::log(rng.uniform()) < before - energy(target.log_density(at)))) return false;
  x = at;
  return true;
}

}  // namespace buffet
