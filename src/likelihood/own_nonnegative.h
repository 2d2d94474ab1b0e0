#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "core/resize.h"
#include "core/rng.h"
#include "nonnegative_loadings.h"

namespace buffet {

/// Nonnegative loadings of the features that only one row has, by births and deaths. The loadings
/// of one that may be born are integrated out, given all others, and drawn after it is accepted, so
/// that a death is accepted with the inverse of the ratio of the birth that would undo it.
class OwnNonnegative {
 public:
  /// `left`: what the row says of one more feature, with those that it has now in place.
  OwnNonnegative(NonnegativeLoadings law, LoadingSums left, Eigen::MatrixXd loadings)
      : law_(law), left_(std::move(left)), loadings_(std::move(loadings)) {}

  /// D x as many as there are.
  const Eigen::MatrixXd& loadings() const { return loadings_; }

  template <class LogPriorRatio>
  void move(LogPriorRatio log_prior_ratio, Rng& rng) {
    for (int n = 0; n < tries; ++n) {
      const int own = static_cast<int>(loadings_.cols());
      if (rng.bernoulli(0.5))
        try_birth(log_prior_ratio(own), rng);
      else if (own > 0)
        try_death(log_prior_ratio(own - 1), rng);
    }
  }

 private:
  static constexpr int tries = 4;

  void try_birth(double log_prior_ratio, Rng& rng) {
    if (std::log(rng.uniform()) >= log_prior_ratio + law_.log_evidence(left_)) return;
    append_column(loadings_, law_.draw(left_, rng));
    left_.rest -= left_.observed * loadings_.col(loadings_.cols() - 1).array();
  }

  void try_death(double log_prior_ratio, Rng& rng) {
    const int n = rng.below(static_cast<int>(loadings_.cols()));
    LoadingSums without = left_;
    without.rest += left_.observed * loadings_.col(n).array();
    if (std::log(rng.uniform()) >= -log_prior_ratio - law_.log_evidence(without)) return;
    left_ = std::move(without);
    drop_column(loadings_, n);
  }

  NonnegativeLoadings law_;
  LoadingSums left_;
  Eigen::MatrixXd loadings_;
};

}  // namespace buffet
