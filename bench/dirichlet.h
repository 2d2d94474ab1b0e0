#pragma once

#include <Eigen/Dense>

#include "core/rng.h"

namespace bench {

inline Eigen::ArrayXd dirichlet(const Eigen::ArrayXd& shapes, buffet::Rng& rng) {
  Eigen::ArrayXd draw(shapes.size());
  for (int k = 0; k < draw.size(); ++k) draw(k) = rng.log_gamma_draw(shapes(k));
  draw = (draw - draw.maxCoeff()).exp();
  return draw / draw.sum();
}

/// The outcome selected by a uniform draw, given probabilities that sum to one.
inline int outcome(const Eigen::ArrayXd& probabilities, buffet::Rng& rng) {
  double u = rng.uniform();
  int k = 0;
  while (k + 1 < probabilities.size() && (u -= probabilities(k)) >= 0) ++k;
  return k;
}

}  // namespace bench
