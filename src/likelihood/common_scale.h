#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "binary_data.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/slice.h"
#include "core/sum_of_logs.h"
#include "logistic_scales.h"

namespace buffet {

/// All weights and sigma_a multiplied by one number: given the weights sigma_a hardly moves, as
/// there are so many of them.
class CommonScale {
 public:
  struct Weights {
    const Eigen::VectorXd& bias;
    const Eigen::MatrixXd& w;  ///< D x K
  };

  CommonScale(const Features& z, const BinaryData& data, const Weights& weights)
      : of_bias_(data.columns() * z.rows()), of_features_(of_bias_.size()) {
    for (int i = 0; i < z.rows(); ++i) {
      const Eigen::ArrayXd signs = data.signs(i).template cast<double>();
      Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(data.columns());
      for (int k = 0; k < z.size(); ++k)
        if (z.at(i, k)) sum += weights.w.col(k).array();
      of_bias_.segment(i * data.columns(), data.columns()) = signs * weights.bias.array();
      of_features_.segment(i * data.columns(), data.columns()) = signs * sum;
    }
  }

  /// Draws the number, by which it multiplies sigma_a; the weights are to follow.
  double draw(LogisticScales& scales, Rng& rng) const {
    const double before = scales.a.value;
    const auto precision = [&](double log_scale) { return before * std::exp(-2 * log_scale); };
    const auto log_density = [&](double log_scale) {
      return scales.log_density_of_a(precision(log_scale)) + log_lik(std::exp(log_scale));
    };
    const double log_scale = slice_within(0, log_density, 1, rng);
    scales.a.value = precision(log_scale);
    return std::exp(log_scale);
  }

 private:
  /// But for a constant: missing entries count as log(1/2).
  double log_lik(double scale) const {
    const Eigen::ArrayXd terms = 1 + (-of_bias_ - scale * of_features_).exp();
    return -sum_of_logs(terms);
  }

  Eigen::ArrayXd of_bias_, of_features_;  ///< what they add to the log odds of every entry seen
};

}  // namespace buffet
