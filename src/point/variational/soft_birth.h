#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "core/rng.h"
#include "variational.h"

namespace buffet {

/// What a state of mean-field inference leaves unexplained of some rows, and a feature from it.
template <class State>
class SoftBirth {
 public:
  SoftBirth(const State& state, Rng& rng)
      : rho_(state.factor().tau_a().mean() / state.factor().tau_x().mean()) {
    const AscentData& data = state.data();
    const std::vector<int> rows = draw(data, rng);
    const GaussianData x = some_rows(data.source, rows);
    left_ = -state.factor().mean() * picked(state.z.on, rows);
    for (int n = 0; n < x.rows(); ++n) {
      x.add(n, 1, left_.col(n));
      x.for_hidden(n, [&](int d) { left_(d, n) = 0; });
    }
  }

  /// Loadings: what is left of a random row, then by turns the rows that hold the feature and the
  /// mean of what is left of them.
  Eigen::VectorXd loading(Rng& rng) const {
    const int rows = static_cast<int>(left_.cols());
    Eigen::VectorXd v = signed_part(left_.col(rng.below(rows)));
    for (int round = 0; round < 8 && v.squaredNorm() > 0; ++round) {
      const Eigen::VectorXd fit = left_.transpose() * v;
      const double least = round < 3 ? quantile(fit, 0.8) : 0.5 * v.squaredNorm();
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(v.size());
      int holders = 0;
      for (int n = 0; n < rows; ++n)
        if (fit(n) > least) {
          sum += left_.col(n);
          ++holders;
        }
      if (holders == 0) break;
      v = signed_part(sum / (holders + rho_));
    }
    return v;
  }

 private:
  static constexpr double most_rows = 2000, most_entries = 2e7;

  static std::vector<int> draw(const AscentData& data, Rng& rng) {
    const double most = std::max(1.0, std::min(most_rows, most_entries / data.columns));
    std::vector<int> rows;
    rng.permutation(data.rows(), rows);
    rows.resize(std::min(data.rows(), static_cast<int>(most)));
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  static Eigen::MatrixXd picked(const Eigen::MatrixXd& on, const std::vector<int>& rows) {
    Eigen::MatrixXd some(on.rows(), rows.size());
    for (std::size_t n = 0; n < rows.size(); ++n) some.col(n) = on.col(rows[n]);
    return some;
  }

  static Eigen::VectorXd signed_part(const Eigen::VectorXd& v) {
    if constexpr (State::Factor::nonnegative) return v.cwiseMax(0.0);
    return v;
  }

  static double quantile(const Eigen::VectorXd& values, double share) {
    std::vector<double> sorted(values.data(), values.data() + values.size());
    const auto at = sorted.begin() + static_cast<long>(share * double(sorted.size() - 1));
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }

  double rho_;
  Eigen::MatrixXd left_;  ///< D x rows, 0 where entries are missing
};

}  // namespace buffet
