#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <vector>

#include "rotation.h"
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

  static constexpr ColumnMoves column_moves = ColumnMoves::rotations;
  /// Of a row that has k or l.
  RowOfPair pair_in(const Features& z, int i, int k, int l) {
    std::vector<int> some{k, l};
    for (int m = 0; m < z.size(); ++m)
      if (m != k && m != l && z.at(i, m)) some.push_back(m);
    enter_row_for(some, i);
    regression_.set(row_products_, with_x_);
    double others = 0;
    const auto put_in = [&](int m) {
      const double log_ratio = regression_.log_ratio(m, false);
      regression_.flip(m, false);
      return log_ratio;
    };
    for (int m = 2; m < static_cast<int>(some.size()); ++m) others += put_in(m);
    const auto has = !z.at(i, l)   ? RowOfPair::first
                     : !z.at(i, k) ? RowOfPair::second
                                   : RowOfPair::both;
    RowOfPair pair{i, has, {}, 0};
    pair.log_density[RowOfPair::second] = others + regression_.log_ratio(1, false);
    pair.log_density[RowOfPair::first] = others + put_in(0);
    pair.log_density[RowOfPair::both] = pair.log_density[RowOfPair::first] + put_in(1);
    pair.ratio = regression_.mean(0) / regression_.mean(1);
    return pair;
  }
  /// So that weights rotated by the same angle leave the fit as it is.
  void rotate(int k, int l, double angle) {
    before_ = {a_.col(k), a_.col(l)};
    const double c = std::cos(angle), s = std::sin(angle);
    set_loading(k, c * before_[0] - s * before_[1]);
    set_loading(l, c * before_[1] + s * before_[0]);
  }
  void rotate_back(int k, int l) {
    set_loading(k, before_[0]);
    set_loading(l, before_[1]);
  }
  void redraw_weights(const Features& z, int i, Rng& rng) {
    enter(z, i);
    draw_weights(rng);
  }

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
  std::array<Eigen::VectorXd, 2> before_;  ///< loadings that a rotation has changed
};

}  // namespace buffet
