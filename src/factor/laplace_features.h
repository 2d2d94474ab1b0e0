#pragma once

#include <Eigen/Dense>

#include "likelihood/independent_components.h"
#include "weights_singly.h"

namespace buffet {

/// Laplace weights: chains begin at the independent components of the data, which they would hardly
/// find from mixtures of them where there is little noise.
class LaplaceFeatures : public WeightsSingly<LaplaceWeight> {
  using Base = WeightsSingly<LaplaceWeight>;

 public:
  using Searcher = LaplaceFeatures;
  using Base::Base;

  /// As many features, each of all rows, as principal components stand out of the noise; reset()
  /// and what follows has their weights until the first update.
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
