#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <map>
#include <vector>

#include "cascade_activations.h"
#include "cascade_record.h"
#include "core/check.h"
#include "core/rng.h"

namespace buffet {

/// E squash(y + e), e ~ N(0, 1 / precision of the column), by Gauss-Hermite quadrature with five
/// points.
Eigen::MatrixXd mean_response(const Eigen::MatrixXd& y, const Eigen::VectorXd& precision);

/// New rows of a network with known structure and weights: their hidden activations are sampled
/// given the observed entries, starting from their means, which are computed from the top down.
class CascadeFold {
 public:
  struct Plan {
    int warmup = 30, sweeps = 30;
    ActivationSampler sampler = ActivationSampler::slice;
  };

  /// x: rows x D, NaN if missing.
  CascadeFold(std::vector<CascadeLayer> layers, const Eigen::MatrixXd& x, const Plan& plan);

  /// The random numbers of a row are seeded by its key, and the order of units is drawn from `rng`,
  /// so the response of a row does not depend on the other rows.
  using Keys = std::vector<std::uint64_t>;

  /// Mean responses, rows x D; `check` may throw.
  Eigen::MatrixXd response(const Rng& rng, const Keys& keys, const Check& check);

 private:
  using Numbers = std::vector<int>;

  /// Rows grouped by their observed columns.
  std::map<Numbers, Numbers> patterns() const;

  /// The network restricted to the observed visible units.
  Cascade network(const CascadeData& data, const Numbers& observed) const;

  /// Rows with the same observed columns, and the random numbers of each row.
  struct Pattern {
    const Numbers &observed, &rows;
    std::vector<Rng> of_rows;
  };
  Eigen::MatrixXd response(Pattern pattern, Rng rng, const Check& check);

  std::vector<CascadeLayer> layers_;
  const Eigen::MatrixXd& x_;
  Plan plan_;
};

}  // namespace buffet
