#pragma once

#include <Eigen/Dense>
#include <vector>

#include "sweep_operator.h"
#include "weighted_features.h"

namespace buffet {

/// Normal weights: the bits of a row with all its weights integrated out, x ~ N(0, noise + A_z'
/// A_z), in O(1) a bit and O(K^2) a flip; then the weights, all together.
class WeightsJointly : public WeightedFeatures<NormalWeight> {
 public:
  using Searcher = WeightsJointly;
  using WeightedFeatures::WeightedFeatures;

  void enter(const Features& z, int i) {
    enter_row(z, i);
    regression_.set(row_products_, with_x_);
    for (int k = 0; k < z.size(); ++k)
      if (on_[k]) regression_.flip(k, false);
  }
  double log_ratio(int k) const { return regression_.log_ratio(k, on_[k]); }
  void flip(int k) {
    regression_.flip(k, on_[k]);
    on_[k] = !on_[k];
  }

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    draw_weights(rng);
    return draw_own_given_weights(log_prior_ratio, rng);
  }
  void leave(Features& z, int own) { leave_row(z, own); }

 private:
  void draw_weights(Rng& rng) {
    std::vector<int> in;
    for (std::size_t k = 0; k < on_.size(); ++k)
      if (on_[k]) in.push_back(static_cast<int>(k));
    const auto size = static_cast<Eigen::Index>(in.size());
    Eigen::MatrixXd covariance(size, size);
    for (Eigen::Index a = 0; a < size; ++a)
      for (Eigen::Index b = 0; b < size; ++b)
        covariance(a, b) = regression_.covariance(in[a], in[b]);
    const Eigen::VectorXd change = covariance.llt().matrixL() * normal_vector(size, 1, rng);
    v_.row(row_).setZero();
    for (Eigen::Index a = 0; a < size; ++a) v_(row_, in[a]) = regression_.mean(in[a]) + change(a);
  }

  SweptRegression regression_;
};

}  // namespace buffet
