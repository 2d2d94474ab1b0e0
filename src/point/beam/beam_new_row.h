#pragma once

#include <Eigen/Dense>
#include <limits>
#include <utility>
#include <vector>

#include "row_beam.h"
#include "sequential.h"

namespace buffet {

/// What a fit by beam search knows: the loadings of a column d are N(mean_d, covariance[of_d]).
struct BeamFit {
  Eigen::MatrixXd mean;  ///< D x K
  std::vector<Eigen::MatrixXd> covariance;
  std::vector<int> of;  ///< numbers from 0
  double variance, rho;
  std::vector<int> counts;  ///< rows that each feature has
  int rows;
};

/// The most probable features of a row that was not among the data, of those that a beam finds;
/// NaN marks what is missing. It may have features of its own.
inline std::vector<int> most_probable(const Eigen::VectorXd& x, const BeamFit& fit,
                                      const Sequential& prior) {
  const auto size = fit.mean.cols();
  std::vector<LoadingsMoments> moments(fit.covariance.size());
  BeamProblem problem;
  problem.variance = fit.variance;
  for (std::size_t g = 0; g < moments.size(); ++g) {
    moments[g] = {fit.covariance[g] / fit.variance, Eigen::MatrixXd::Zero(size, size)};
    problem.groups.push_back({0, 0, &moments[g], Eigen::VectorXd::Zero(size)});
  }
  for (int d = 0; d < x.size(); ++d) {
    if (std::isnan(x(d))) continue;
    GroupTerms& group = problem.groups[fit.of[d]];
    group.columns += 1;
    group.square += x(d) * x(d);
    group.c += x(d) * fit.mean.row(d).transpose();
    moments[fit.of[d]].g += fit.mean.row(d).transpose() * fit.mean.row(d);
  }
  for (int k = 0; k < size; ++k)
    problem.classes.push_back(
        {k, 1, prior.log_odds(fit.rows, fit.counts[k]), prior.log_off(fit.rows, fit.counts[k])});
  RowBeam beam;
  double best = -std::numeric_limits<double>::infinity();
  std::vector<int> held;
  for (int born = 0;; ++born) {
    problem.from_new = born / fit.rho;
    beam.search(problem, 10);
    int first = 0;
    for (int s = 1; s < beam.size(); ++s)
      if (beam[s].value > beam[first].value) first = s;
    const double value = beam[first].value + prior.log_new(fit.rows, static_cast<int>(size), born);
    if (!(value > best)) return held;
    best = value;
    held = beam[first].held;
  }
}

}  // namespace buffet
