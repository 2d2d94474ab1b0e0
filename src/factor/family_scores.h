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
/// the families and levels of the others.
struct KnownColumns {
  struct Of {
    int first;
    AnyFamily family;
    double level;
  };

  Eigen::MatrixXd loadings;
  Eigen::ArrayXd sigma_x;
  std::vector<Of> families;  ///< with one linear predictor each
};

/// Draws the factors, N(0, I) a priori, of a new row of data, with NaN for missing entries.
/// Starting near the mode, auxiliary variables of the families and factors are drawn in turn.
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
      const double eta = of.level + g.row(of.first).dot(scores);
      double omega, kappa;
      if (n >= 0)
        of.family->augment(given(of.first), &eta, {&omega, &kappa}, rng);
      else if (of.family->has_working_response())
        of.family->work(given(of.first), eta, {&omega, &kappa});
      else
        of.family->expect(given(of.first), &eta, {&omega, &kappa});
      precision(of.first) = std::max(omega, 1e-10);
      x(of.first) = kappa / precision(of.first) - of.level;
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
