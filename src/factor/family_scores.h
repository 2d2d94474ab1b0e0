#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/normal_vector.h"
#include "core/rng.h"
#include "mixed/families.h"

namespace buffet {

/// Columns of the data given one draw of sparse loadings, D x K: the noise of numeric columns, and
/// the families of the others with the levels of their linear predictors.
struct KnownColumns {
  struct Of {
    int first;
    AnyFamily family;
    Eigen::VectorXd level;
  };

  Eigen::MatrixXd loadings;
  Eigen::ArrayXd sigma_x;
  std::vector<Of> families;
};

/// Draws the factors, N(0, I) a priori, of a new row of data; a missing entry is NaN in all of its
/// linear predictors. Starting near the mode, the auxiliary variables of the families and the
/// factors are drawn in turn.
inline Eigen::VectorXd draw_family_scores(const KnownColumns& known, Eigen::VectorXd x, Rng& rng) {
  constexpr int climbs = 8, sweeps = 25;
  const Eigen::MatrixXd& g = known.loadings;
  Eigen::ArrayXd precision = x.array().isNaN().select(0, known.sigma_x.square().inverse());
  const Eigen::VectorXd given = x;
  x = x.array().isNaN().select(0, x);
  Eigen::VectorXd scores = Eigen::VectorXd::Zero(g.cols());
  for (int n = -climbs; n < sweeps; ++n) {
    for (const KnownColumns::Of& of : known.families) {
      if (std::isnan(given(of.first))) continue;
      const int width = of.family->width();
      Eigen::VectorXd eta(width), omega(width), kappa(width);
      for (int c = 0; c < width; ++c) eta(c) = of.level(c) + g.row(of.first + c).dot(scores);
      const PseudoResponse to{omega.data(), kappa.data()};
      if (n >= 0)
        of.family->augment(given(of.first), eta.data(), to, rng);
      else if (of.family->has_working_response())
        of.family->work(given(of.first), eta(0), to);
      else
        of.family->expect(given(of.first), eta.data(), to);
      for (int c = 0; c < width; ++c) {
        precision(of.first + c) = std::max(omega(c), 1e-10);
        x(of.first + c) = kappa(c) / precision(of.first + c) - of.level(c);
      }
    }
    const Eigen::MatrixXd weighted = precision.matrix().asDiagonal() * g;
    const Eigen::LLT<Eigen::MatrixXd> llt(Eigen::MatrixXd::Identity(g.cols(), g.cols()) +
                                          g.transpose() * weighted);
    scores = llt.solve(weighted.transpose() * x);
    if (n >= 0) scores += llt.matrixU().solve(normal_vector(g.cols(), 1, rng));
  }
  return scores;
}

}  // namespace buffet
