#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "gaussian/independent_components.h"
#include "weighted_features.h"

namespace buffet {

/// Weights of any law: an entry of a row is drawn given all other weights, with its own weight
/// integrated out, and then its weight is drawn.
template <class Law>
class WeightsSingly : public WeightedFeatures<Law> {
  using Base = WeightedFeatures<Law>;

 public:
  using Searcher = WeightsSingly;
  using Base::Base;

  void enter(const Features& z, int i) {
    this->enter_row(z, i);
    rest_ = with_x_ - row_products_ * v_.row(i).transpose();
  }
  double log_ratio(int k) const { return Law::log_mean(with_rest(k), row_products_(k, k)); }
  /// Flips entry k of the row and draws its new weight.
  void flip(int k, Rng& rng) {
    on_[k] = !on_[k];
    put(k, on_[k] ? draw(k, rng) : 0);
  }

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    for (std::size_t k = 0; k < on_.size(); ++k)
      if (on_[k]) put(static_cast<int>(k), draw(static_cast<int>(k), rng));
    return this->draw_own_given_weights(log_prior_ratio, rng);
  }
  void leave(Features& z, int) { this->leave_row(z); }

 protected:
  using Base::on_, Base::row_, Base::row_products_, Base::v_, Base::with_x_;

 private:
  /// The product of the loadings of a feature with the row's residual without this feature.
  double with_rest(int k) const { return rest_(k) + row_products_(k, k) * v_(row_, k); }
  double draw(int k, Rng& rng) const {
    return Law::draw_given(with_rest(k), row_products_(k, k), rng);
  }
  void put(int k, double v) {
    rest_ -= (v - v_(row_, k)) * row_products_.col(k);
    v_(row_, k) = v;
  }

  Eigen::VectorXd rest_;  ///< products of the loadings with the row's residual
};

/// Laplace weights. Chains start from the independent components of the data: with little noise, a
/// chain that started from mixtures of the components would hardly ever find them.
class LaplaceFeatures : public WeightsSingly<LaplaceWeight> {
  using Base = WeightsSingly<LaplaceWeight>;

 public:
  using Searcher = LaplaceFeatures;
  using Base::Base;

  /// Features that all rows have, one for each principal component that exceeds the noise; reset()
  /// and the functions after it use their weights until the first update.
  Features features_to_start(Rng& rng) {
    const int rows = data_->rows();
    Features z(rows);
    if (rows < 3) return z;
    Completed x(*data_);
    const LeadingComponents leading = complete_by_components(x, most, rng);
    if (leading.size() > 0) components_ = independent(leading.whitened(), rng);
    for (int k = 0; k < leading.size(); ++k) z.add(complement(Bits(rows), rows));
    return z;
  }

  void reset(const Features& z) {
    if (z.size() == 0 || z.size() != components_.cols()) return Base::reset(z);
    start_at_weights(components_);
  }
  void update(const Features& z, Rng& rng) {
    components_.resize(0, 0);
    Base::update(z, rng);
  }

 private:
  static constexpr int most = 64;

  Eigen::MatrixXd components_;
};

}  // namespace buffet
