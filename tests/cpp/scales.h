#pragma once

#include <vector>

#include "gaussian_case.h"
#include "regression/gaussian_column_noise.h"

namespace test {

// The state of chains other than Z, in the form used by the reference: the standard deviations and,
// if they are in the state, the loadings (D x K).

template <class Likelihood>
void set_scales(Likelihood& likelihood, const Scales& sigma) {
  likelihood.set_precisions(sigma.precision_x(), sigma.precision_a());
}
inline void set_scales(buffet::GaussianColumnNoise& likelihood, const Scales& sigma) {
  Eigen::ArrayXd x(likelihood.data().width());
  for (int d = 0; d < x.size(); ++d) x(d) = sigma.precision_x(d);
  likelihood.set_precisions(x, sigma.precision_a());
}

template <class Likelihood>
Scales scales_of(const Likelihood& likelihood) {
  return {likelihood.sigma_x(), likelihood.sigma_a()};
}
inline Scales scales_of(const buffet::GaussianColumnNoise& likelihood) {
  const Eigen::ArrayXd sigmas = likelihood.precisions().sigmas();
  return {likelihood.sigma_x(), likelihood.sigma_a(),
          std::vector<double>(sigmas.data(), sigmas.data() + sigmas.size())};
}

template <class Likelihood>
void set_loadings(Likelihood& likelihood, const Eigen::MatrixXd& a) {
  likelihood.set_loadings(a);
}
inline void set_loadings(buffet::GaussianColumnNoise& likelihood, const Eigen::MatrixXd& a) {
  likelihood.set_weights(a);
}

template <class Likelihood>
Eigen::MatrixXd loadings_of(const Likelihood& likelihood) {
  return likelihood.loadings();
}
inline Eigen::MatrixXd loadings_of(const buffet::GaussianColumnNoise& likelihood) {
  return likelihood.weights();
}

}  // namespace test
