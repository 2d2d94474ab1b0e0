#pragma once

#include <cstdint>
#include <utility>

#include "chains.h"
#include "factor/weights_jointly.h"
#include "factor/weights_singly.h"

namespace bench {

/// Data from weighted features, and the true values.
struct WeightedSet {
  buffet::Features z;
  Eigen::MatrixXd v, a, x;  ///< N x K, D x K and D x N
};

/// Loadings are N(0, 1), weights come from a prior, and the noise has sd 1/2.
template <class Law>
WeightedSet generate_weighted(const Workload& w, std::uint64_t number) {
  buffet::Rng rng(number, 100);
  WeightedSet set{draw_features(w, rng), Eigen::MatrixXd::Zero(w.rows, w.features), {}, {}};
  for (int k = 0; k < w.features; ++k)
    set.z.column(k).for_each([&](int i) { set.v(i, k) = Law::draw(rng); });
  set.a = draw_normal(w.columns, w.features, 1, rng);
  set.x = draw_normal(w.columns, w.rows, sigma_x, rng);
  set.x.noalias() += set.a * set.v.transpose();
  return set;
}

/// A chain of weighted features in which everything is learned; it has made 100 sweeps from the
/// truth.
template <class Likelihood, class Law>
class SettledWeights {
 public:
  SettledWeights(const Workload& w, buffet::NoiseOf noise)
      : SettledWeights(generate_weighted<Law>(w, 1), noise) {}
  SettledWeights(const SettledWeights&) = delete;

  void operator()() {
    chain_.sweep();
    features_ += chain_.z.size();
    ++sweeps_;
  }
  /// Mean number of features.
  double features() const { return features_ / sweeps_; }

 private:
  using Weighted = buffet::Gibbs<buffet::Exchangeable, Likelihood>;

  SettledWeights(const WeightedSet& set, buffet::NoiseOf noise)
      : data_(set.x, false),
        chain_(set.z, buffet::Exchangeable(data_.rows(), {buffet::Hyper::gamma(1, 1)}),
               Likelihood(data_, {data_.rows(), data_.width(), noise, buffet::Hyper::gamma(1, 1)},
                          {buffet::Hyper::gamma(1, 1), true}),
               buffet::Rng(1)) {
    chain_.likelihood.set(set.a, set.v);
    chain_.likelihood.set_precisions(Eigen::ArrayXd::Constant(1, 1 / (sigma_x * sigma_x)), 1);
    for (int n = 0; n < 100; ++n) chain_.sweep();
  }

  buffet::GaussianData data_;
  Weighted chain_;
  double features_ = 0, sweeps_ = 0;
};

using NormalWeights = SettledWeights<buffet::WeightsJointly, buffet::NormalWeight>;
using NonnegativeWeights =
    SettledWeights<buffet::WeightsSingly<buffet::NonnegativeWeight>, buffet::NonnegativeWeight>;
using LaplaceWeights = SettledWeights<buffet::LaplaceFeatures, buffet::LaplaceWeight>;
using CountWeights =
    SettledWeights<buffet::WeightsSingly<buffet::CountWeight>, buffet::CountWeight>;

}  // namespace bench
