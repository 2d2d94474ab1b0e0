#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/number_law.h"
#include "core/rng.h"
#include "core/special.h"
#include "gaussian/gaussian_row.h"

namespace buffet {

/// Features with the same rows; the likelihood depends only on the sum of their weights.
struct Copies {
  int count = 0;
  double weight = 0;
};

/// Weights are independent Gamma(shape, rate), so the sum of n weights is Gamma(n shape, rate).
/// Their range is limited; the density is 0 outside it.
class WeightPrior {
 public:
  WeightPrior(double shape, double rate)
      : shape_(shape), rate_(rate), constant_(shape * std::log(rate) - log_gamma(shape)) {}

  double mean() const { return shape_ / rate_; }
  double log_density(double w) const {
    const double log_w = std::log(w);
    return constant_ + log_density_of_log(log_w, w) - log_w;
  }
  /// The sum of n weights.
  double draw(int n, Rng& rng) const {
    return held(std::exp(rng.log_gamma_draw(n * shape_)) / rate_);
  }

  /// Log density of the logarithm of a weight, up to a constant, and its derivative with respect to
  /// the logarithm.
  double log_density_of_log(double log_w, double w) const {
    if (std::abs(log_w) > most_log) return -std::numeric_limits<double>::infinity();
    return shape_ * log_w - rate_ * w;
  }
  double slope_of_log(double w) const { return shape_ - rate_ * w; }
  double shape() const { return shape_; }

  /// A random factor for a weight: log-normal, with a random scale that ranges from small to large
  /// steps.
  static double step(Rng& rng) {
    const double sd = 0.05 * std::exp(rng.uniform() * std::log(2 / 0.05));
    return std::exp(sd * rng.normal());
  }

  /// Chooses between the current copies and several draws from the prior with probability
  /// proportional to their likelihoods, as if all had been drawn from the prior.
  template <class LogPriorRatio, class LogLik>
  Copies choose(Copies now, LogPriorRatio log_prior_ratio, LogLik log_lik, Rng& rng) {
    number_law_.set(log_prior_ratio);
    std::array<Copies, 1 + tries> candidates;
    candidates[0] = now;
    for (int n = 1; n <= tries; ++n) {
      const int count = number_law_.draw(rng);
      candidates[n] = {count, count > 0 ? draw(count, rng) : 0};
    }
    const double log_none = log_lik(0);
    log_weights_.clear();
    for (const Copies& one : candidates)
      log_weights_.push_back(one.count > 0 ? log_lik(one.weight) : log_none);
    return candidates[draw_index(log_weights_, rng)];
  }

  /// Log ratio of the densities of two sums of n weights.
  double log_ratio_sum(int n, double before, double after) const {
    return (n * shape_ - 1) * std::log(after / before) - rate_ * (after - before);
  }

  /// One step for the sum of n weights, of which `log_lik` is a function.
  template <class LogLik>
  double step_sum(Copies copies, LogLik log_lik, Rng& rng) const {
    const double before = copies.weight, after = before * step(rng);
    const double log_accept = log_lik(after) - log_lik(before) +
                              log_ratio_sum(copies.count, before, after) + std::log(after / before);
    return std::log(rng.uniform()) < log_accept ? held(after) : before;
  }

  /// Draws the number of copies, which is at least one, given the sum S of their weights: P(n) is
  /// proportional to the prior times (rate S)^(n shape) / Gamma(n shape).
  template <class LogPriorRatio>
  int draw_count(double weight, LogPriorRatio log_prior_ratio, Rng& rng) {
    const double log_scaled = shape_ * (std::log(rate_) + std::log(weight));
    log_weights_.assign(1, log_scaled - log_gamma_of(1));
    double log_prior = 0, largest = log_weights_[0], growth = 1;
    for (int n = 2; growth > -0.7 || log_weights_.back() > largest - 45; ++n) {
      if (n > NumberLaw::too_many)
        throw std::runtime_error("more than 10000 features ask to have the same rows.");
      log_prior += log_prior_ratio(n - 1);
      log_weights_.push_back(log_prior + n * log_scaled - log_gamma_of(n));
      growth = log_weights_.back() - log_weights_[n - 2];
      largest = std::max(largest, log_weights_.back());
    }
    return 1 + draw_index(log_weights_, rng);
  }

  /// Draws the weights of copies given their sum; their shares are Dirichlet.
  void split(Copies copies, Rng& rng, std::vector<double>& parts) const {
    parts.assign(copies.count, copies.weight);
    if (copies.count < 2) return;
    for (double& part : parts) part = rng.log_gamma_draw(shape_);
    const double largest = *std::max_element(parts.begin(), parts.end());
    double sum = 0;
    for (double& part : parts) sum += part = std::exp(part - largest);
    for (double& part : parts) part = held(part * (copies.weight / sum));
  }

 private:
  static constexpr int tries = 2;
  static constexpr double most_log = 346;  ///< slightly beyond the permitted range

  double log_gamma_of(int n) {
    while (static_cast<int>(log_gammas_.size()) < n)
      log_gammas_.push_back(log_gamma((log_gammas_.size() + 1) * shape_));
    return log_gammas_[n - 1];
  }

  double shape_, rate_, constant_;
  NumberLaw number_law_;
  std::vector<double> log_gammas_, log_weights_;
};

}  // namespace buffet
