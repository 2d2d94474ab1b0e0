#pragma once

#include <Eigen/Dense>
#include <map>
#include <vector>

#include "cascade_activations.h"
#include "cascade_record.h"
#include "core/check.h"
#include "core/rng.h"

namespace buffet {

/// E squash(y + e), e ~ N(0, 1 / precision of the column), by Gauss & Hermite's five points.
Eigen::MatrixXd mean_response(const Eigen::MatrixXd& y, const Eigen::VectorXd& precision);

/// New rows of a network whose structure and weights are known: their hidden activations are
/// sampled given what is observed of them, beginning with the means from the top down.
class CascadeFold {
 public:
  struct Plan {
    int warmup = 30, sweeps = 30;
    ActivationSampler sampler = ActivationSampler::slice;
  };

  /// x: rows x D, NaN where missing.
  CascadeFold(std::vector<CascadeLayer> layers, const Eigen::MatrixXd& x, const Plan& plan);

  /// Means of the response, rows x D; `check` may throw.
  Eigen::MatrixXd response(Rng& rng, const Check& check);

 private:
  using Numbers = std::vector<int>;

  /// Rows by the columns that are observed of them.
  std::map<Numbers, Numbers> patterns() const;

  /// The network whose visible units are the observed ones.
  Cascade network(const CascadeData& data, const Numbers& observed) const;

  Eigen::MatrixXd response(const Numbers& observed, const Numbers& rows, Rng& rng,
                           const Check& check);

  std::vector<CascadeLayer> layers_;
  const Eigen::MatrixXd& x_;
  Plan plan_;
};

}  // namespace buffet
