#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/log_sum.h"
#include "core/rng.h"
#include "loading_scales.h"
#include "spread_sums.h"
#include "weight_laws.h"

namespace buffet {

/// Log density, up to a constant, of the residual that a row's singletons explain, as a function of
/// t, the sum of squares of their weights. With the loadings integrated out the residual is N(0, (1
/// + ratio_d t) / precision_d) in column d, because the sum of the products of weights and loadings
/// is normal with t times the variance of one loading.
class OwnWeightsDensity {
 public:
  /// Sets values shared by all columns: the number of observed entries, the sum of their squares in
  /// units of the noise, and the ratio of the variances of loadings and noise.
  void set(int observed, double squares, double ratio) {
    observed_ = observed;
    sum_ = squares;
    ratio_ = ratio;
    columns_ = false;
  }
  /// Sets separate values for each column.
  void set(const Eigen::ArrayXd& squares, const Eigen::ArrayXd& ratios) {
    columns_ = true;
    squares_.setZero(SpreadSums::padded(squares.size()));
    ratios_.setZero(squares_.size());
    squares_.head(squares.size()) = squares;
    ratios_.head(ratios.size()) = ratios;
  }

  double operator()(double t) const {
    if (!columns_) {
      const double spread = 1 + ratio_ * t;
      return -0.5 * (observed_ * std::log(spread) + sum_ / spread);
    }
    constexpr int block = SpreadSums::block;
    using Block = SpreadSums::Block;
    const SpreadSums sums(
        ratios_.size(), [&](Eigen::Index d) -> Block { return squares_.segment<block>(d); },
        [&](Eigen::Index d) -> Block { return 1 + t * ratios_.segment<block>(d); });
    return -0.5 * (sums.log + sums.fit);
  }

 private:
  bool columns_ = false;
  int observed_ = 0;
  double sum_ = 0, ratio_ = 1;
  Eigen::ArrayXd squares_, ratios_;
};

/// The weight of a singleton, and the local precision of its loadings.
struct OwnWeight {
  double v, local;
  double square() const { return v * v / local; }
};

/// Log density of the row's residual as a function of the size of one singleton's weight, where t
/// is the squares() of the others.
struct SizeDensity {
  const OwnWeightsDensity& of;
  double t, local;
  double operator()(double size) const { return of(t + size * size / local); }
};

/// Proposal for the size of an additional weight: its logarithm is normal around the mode of its
/// density given the others or, with probability 1/5, the size is drawn from the prior, which makes
/// every size reachable.
template <class Law>
class SizeProposal {
 public:
  explicit SizeProposal(const SizeDensity& density) : density_(density) {
    double step = 0.8;
    mode_ = lowest;
    double best = log_target(mode_);
    for (double x = lowest + step; x < highest; x += step)
      if (const double at = log_target(x); at > best) {
        best = at;
        mode_ = x;
      }
    for (step /= 2; step > 5e-3; step /= 2)
      for (double x : {mode_ - step, mode_ + step})
        if (const double at = log_target(x); at > best) {
          best = at;
          mode_ = x;
          break;
        }
    const double h = 0.01;
    const double bend = (2 * best - log_target(mode_ - h) - log_target(mode_ + h)) / (h * h);
    sd_ = 1.2 / std::sqrt(std::max(bend, 0.25));
  }

  double draw(Rng& rng) const {
    if (rng.bernoulli(of_prior)) return std::abs(Law::draw(rng));
    return std::exp(mode_ + sd_ * rng.normal());
  }
  /// Log ratio of the density of a size given the others to its proposal density.
  double log_importance(double size) const {
    const double x = std::log(size), z = (x - mode_) / sd_;
    const double near = -0.5 * z * z - std::log(sd_ * size) - 0.5 * std::log(2 * M_PI);
    const double prior = Law::log_density_of_size(size);
    const double proposed = log_add(std::log(1 - of_prior) + near, std::log(of_prior) + prior);
    return prior + density_(size) - proposed;
  }

 private:
  static constexpr double lowest = -5, highest = 5, of_prior = 0.2;

  double log_target(double x) const {
    const double size = std::exp(x);
    return Law::log_density_of_size(size) + x + density_(size);
  }

  SizeDensity density_;
  double mode_, sd_;
};

/// Integer weights, drawn with probability proportional to their density.
template <>
class SizeProposal<CountWeight> {
 public:
  explicit SizeProposal(const SizeDensity& density) {
    for (int v = 1; v <= most; ++v) chances_[v - 1] = CountWeight::log_density(v) + density(v);
    const double best = *std::max_element(chances_.begin(), chances_.end());
    double sum = 0;
    for (double& chance : chances_) sum += chance = std::exp(chance - best);
    log_sum_ = best + std::log(sum);
    for (double& chance : chances_) chance /= sum;
  }

  double draw(Rng& rng) const {
    double rest = rng.uniform();
    for (int v = 1; v < most; ++v)
      if ((rest -= chances_[v - 1]) < 0) return v;
    return most;
  }
  double log_importance(double) const { return log_sum_; }

 private:
  static constexpr int most = 60;  ///< larger ones have probability 1e-18

  double log_sum_;
  std::array<double, most> chances_;
};

/// Births and deaths of a row's singletons, given its residual without them and with their loadings
/// integrated out, by Metropolis-Hastings on their number and the sizes of their weights.
/// log_prior_ratio(j) = log P(j + 1) - log P(j).
template <class Law>
class OwnWeights {
 public:
  void set(std::vector<OwnWeight> weights) {
    weights_ = std::move(weights);
    t_ = 0;
    for (const OwnWeight& of : weights_) t_ += of.square();
  }
  const std::vector<OwnWeight>& weights() const { return weights_; }

  template <class LogPriorRatio>
  void move(const OwnWeightsDensity& density, const LoadingScales& scales,
            LogPriorRatio log_prior_ratio, Rng& rng) {
    if (rng.bernoulli(0.5))
      try_birth(density, scales.draw_local(rng), log_prior_ratio(size()), rng);
    else if (size() > 0)
      try_death(density, log_prior_ratio(size() - 1), rng);
  }

 private:
  int size() const { return static_cast<int>(weights_.size()); }

  /// `local` is the local precision of the new feature, drawn from its prior.
  void try_birth(const OwnWeightsDensity& density, double local, double log_prior_ratio, Rng& rng) {
    const SizeProposal<Law> proposal({density, t_, local});
    const double added = proposal.draw(rng);
    const double log_accept = log_prior_ratio + proposal.log_importance(added) - density(t_);
    if (std::log(rng.uniform()) >= log_accept) return;
    weights_.push_back({Law::with_sign(added, rng), local});
    t_ += weights_.back().square();
  }

  /// The feature that dies is drawn uniformly. The order of the features is arbitrary, so the ratio
  /// of the numbers of orders cancels the probability of this choice.
  void try_death(const OwnWeightsDensity& density, double log_prior_ratio, Rng& rng) {
    const int n = rng.below(size());
    const OwnWeight dropped = weights_[n];
    const double rest = std::max(0.0, t_ - dropped.square());
    const SizeProposal<Law> proposal({density, rest, dropped.local});
    const double log_accept =
        log_prior_ratio + proposal.log_importance(std::abs(dropped.v)) - density(rest);
    if (std::log(rng.uniform()) >= -log_accept) return;
    weights_.erase(weights_.begin() + n);
    t_ = rest;
  }

  std::vector<OwnWeight> weights_;
  double t_ = 0;
};

}  // namespace buffet
