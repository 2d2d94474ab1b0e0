#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/rng.h"
#include "point/factor/ascent_data.h"

namespace buffet {

/// The residuals of some rows in a state of mean-field inference, and a new feature found from
/// them.
class SoftBirth {
 public:
  template <class State>
  SoftBirth(const State& state, Rng& rng)
      : nonnegative_(State::Factor::nonnegative),
        rho_(state.factor().tau_a().mean() / state.factor().tau_x().mean()) {
    set_left(state.data(), state.z.on, state.factor().mean(), rng);
  }

  /// Loadings of the new feature: starts from the residual of a random row, then alternates between
  /// the rows that have the feature and the mean of their residuals.
  Eigen::VectorXd loading(Rng& rng) const;

 private:
  void set_left(const AscentData& data, const Eigen::MatrixXd& on, const Eigen::MatrixXd& mean,
                Rng& rng);

  static constexpr double most_rows = 2000, most_entries = 2e7;

  static std::vector<int> draw(const AscentData& data, Rng& rng);

  /// The probabilities of a subset of all rows.
  static Eigen::MatrixXd picked(const AscentData& data, const Eigen::MatrixXd& on,
                                const std::vector<int>& rows);

  Eigen::VectorXd signed_part(const Eigen::VectorXd& v) const;

  static double quantile(const Eigen::VectorXd& values, double share);

  bool nonnegative_;
  double rho_;
  Eigen::MatrixXd left_;  ///< D x rows, 0 for missing entries
};

}  // namespace buffet
