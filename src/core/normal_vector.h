#pragma once

#include <Eigen/Dense>

#include "rng.h"

namespace buffet {

/// Independent N(0, sd^2) variables, drawn column by column.
inline Eigen::MatrixXd normal_matrix(Eigen::Index rows, Eigen::Index columns, double sd, Rng& rng) {
  Eigen::MatrixXd draw(rows, columns);
  for (Eigen::Index n = 0; n < draw.size(); ++n) draw(n) = sd * rng.normal();
  return draw;
}
/// Adds independent N(0, sd^2) noise.
template <class Values>
void add_normal(Values& values, double sd, Rng& rng) {
  for (Eigen::Index n = 0; n < values.size(); ++n) values(n) += sd * rng.normal();
}
inline Eigen::VectorXd normal_vector(Eigen::Index size, double sd, Rng& rng) {
  return normal_matrix(size, 1, sd, rng);
}

}  // namespace buffet
