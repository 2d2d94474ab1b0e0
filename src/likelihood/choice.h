#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "choice_sums.h"
#include "core/archive.h"
#include "core/features.h"
#include "core/hamiltonian.h"
#include "core/number_law.h"
#include "core/rng.h"
#include "weight_prior.h"

namespace buffet {

/// Choices between two items by elimination by aspects, with the features' weights, Gamma(shape,
/// rate) each, in the state. A bit of item i affects the pairs that include i; a weight affects the
/// pairs in which exactly one of the two items has the feature.
class Choice {
 public:
  using Searcher = Choice;
  static constexpr bool keeps_loadings = true, searches = false;

  Choice(const ChoiceData& data, EliminationByAspects rule, WeightPrior prior)
      : data_(&data), rule_(rule), prior_(std::move(prior)), sums_(data, rule) {}

  const ChoiceData& data() const { return *data_; }
  const std::vector<double>& loadings() const { return weights_; }

  /// Starts from Z alone, with weights at their prior mean.
  void reset(const Features& z) {
    weights_.assign(z.size(), prior_.mean());
    sums_.set(z, weights_);
  }
  void restart() {}
  void refresh(const Features&) {}

  void enter(const Features& z, int i) {
    z_ = &z;
    row_ = i;
    own_.clear();
    for (int k = 0; k < z.size(); ++k)
      if (z.at(i, k) && z.is_own(i, k)) own_.push_back(k);
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double log_ratio(int k) const {
    const Change gain{weights_[k], 1};
    const Bits& column = z_->column(k);
    return column.at(row_) ? -sums_.log_ratio_flip(column, row_, gain.reversed())
                           : sums_.log_ratio_flip(column, row_, gain);
  }
  /// Updates for a flip of bit k of the item.
  void flip(int k) {
    const Change gain{weights_[k], 1};
    sums_.flip(z_->column(k), row_, z_->at(row_, k) ? gain : gain.reversed());
  }

  bool has_own() const { return !own_.empty(); }

  /// Log ratio of densities, without the prior of Z, for the item gaining feature k while its
  /// singletons lose the same total weight, or vice versa.
  double log_ratio_exchange(int k) const {
    const double gain = z_->at(row_, k) ? -weights_[k] : weights_[k];
    const double before = own_weight(), after = before - gain;
    if (!(after > 0)) return -std::numeric_limits<double>::infinity();
    return prior_.log_ratio_sum(static_cast<int>(own_.size()), before, after) +
           sums_.log_ratio_exchange(z_->column(k), row_, gain);
  }
  /// Applies this exchange of feature k.
  void exchange(int k) {
    const bool on = z_->at(row_, k);
    const double gain = on ? weights_[k] : -weights_[k];
    const double before = own_weight(), factor = (before - gain) / before;
    for (int own : own_) weights_[own] = held(weights_[own] * factor);
    sums_.exchange(z_->column(k), row_, {gain, on ? 1 : -1});
  }

  /// Draws the number of the item's singletons and their weights. The likelihood depends only on
  /// the sum of these weights.
  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    Copies own{static_cast<int>(own_.size()), own_weight()};
    sums_.add_own(row_, {-own.weight, -own.count});
    const auto log_lik = [&](double weight) { return sums_.log_lik_with(row_, weight); };
    own = prior_.choose(own, log_prior_ratio, log_lik, rng);
    if (own.count > 0) {
      own.weight = prior_.step_sum(own, log_lik, rng);
      own.count = prior_.draw_count(own.weight, log_prior_ratio, rng);
    }
    sums_.add_own(row_, {own.weight, own.count});
    sums_.set_terms(row_);
    prior_.split(own, rng, drawn_);
    return own.count;
  }

  /// Ends the visit: the item's singletons are replaced by the new ones.
  void leave(Features& z, int own) {
    drop_own(z, own_, [this](int k) { drop(k); });
    for (int n = 0; n < own; ++n) {
      z.add_own(row_);
      append(drawn_[n]);
    }
  }

  /// Draws the weights jointly, then one by one, then by rescaling their sum.
  void update(const Features& z, Rng& rng) {
    move_all(z, rng);
    move_each(z, rng);
    scale(rng);
  }

  /// Counterparts of Features::add and Features::drop for features that replace others with the
  /// same rows, which leaves the sums unchanged.
  void append(double weight) { weights_.push_back(weight); }
  void drop(int k) {
    weights_[k] = weights_.back();
    weights_.pop_back();
  }
  void set_weight(int k, double weight) { weights_[k] = weight; }
  WeightPrior& prior() { return prior_; }

  /// Counterparts of Features::add, Features::drop and Features::replace for features with new
  /// rows. `settle` then updates the log likelihood of the pairs concerned.
  void gain(const Bits& column, double weight) {
    sums_.add(column, {weight, 1});
    append(weight);
  }
  void lose(int k, const Bits& column) {
    sums_.add(column, {-weights_[k], -1});
    drop(k);
  }
  void replace(int k, const Bits& before, const Bits& after, double weight) {
    sums_.add(before, {-weights_[k], -1});
    sums_.add(after, {weight, 1});
    weights_[k] = weight;
  }
  void settle(const Bits& rows) {
    rows.for_each([&](int i) { sums_.set_terms(i); });
  }

  double log_lik(const Features& z) const {
    ChoiceSums sums(*data_, rule_);
    sums.set(z, weights_);
    return sums.log_lik() + data_->log_orders();
  }

  /// Log joint density of the weights and of the judgements in a given order.
  double log_density() const { return sums_.log_lik() + log_hyperprior(); }
  /// The amount by which log_density() would change without a feature.
  double log_ratio_lost(const Bits& column, int k) const {
    return sums_.log_ratio_lost(column, weights_[k]) - prior_.log_density(weights_[k]);
  }

  static constexpr std::array<const char*, 0> hyperparameter_names{};
  std::array<double, 0> hyperparameters() const { return {}; }
  /// Log density of the weights.
  double log_hyperprior() const {
    double sum = 0;
    for (double w : weights_) sum += prior_.log_density(w);
    return sum;
  }

  void archive(Archive& a) {
    a(weights_);
    a(sums_);
  }
  bool fits(const Features& z) const { return static_cast<int>(weights_.size()) == z.size(); }

 protected:
  static constexpr int leapfrog_steps = 20;

  /// One Hamiltonian trajectory of the log weights. The step size is set by a rough upper bound on
  /// the curvature: a judgement has curvature p (1 - p) <= 1/4 in the log odds, and therefore s^2 /
  /// 4 in the log of a weight with share s of its side, here 1/2; the gamma prior of a weight adds
  /// about its shape. Lengths are random, to avoid periodic trajectories.
  void move_all(const Features& z, Rng& rng) {
    WeightDensity density(*data_, rule_, prior_);
    density.set(z, *data_);
    thread_local std::vector<double> log_weights;
    log_weights.resize(weights_.size());
    for (std::size_t k = 0; k < weights_.size(); ++k) log_weights[k] = std::log(weights_[k]);
    const double curvature = data_->judged() / 16 + 4 * (1 + prior_.shape());
    const double length = (0.7 + 1.3 * rng.uniform()) / std::sqrt(curvature);
    if (hamiltonian_step(log_weights, density, {length, leapfrog_steps}, rng))
      for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = std::exp(log_weights[k]);
    sums_.set(z, weights_);
  }

  /// Draws the weights of features that all items have from the prior, because choices do not
  /// depend on them. Some of the other weights make a step on the log scale.
  void move_each(const Features& z, Rng& rng) {
    thread_local std::vector<int> order;  // random, as in sweep.h
    rng.permutation(z.size(), order);
    for (int k : order) {
      if (z.count(k) == z.rows())
        weights_[k] = prior_.draw(1, rng);
      else if (rng.bernoulli(0.25))
        step(z.column(k), weights_[k], rng);
    }
  }

  double own_weight() const {
    double sum = 0;
    for (int k : own_) sum += weights_[k];
    return sum;
  }

  void step(const Bits& column, double& weight, Rng& rng) {
    const double after = weight * WeightPrior::step(rng), by = after - weight;
    const double log_accept = sums_.log_ratio_weight(column, by) + prior_.log_density(after) -
                              prior_.log_density(weight) + std::log(after / weight);
    if (!(std::log(rng.uniform()) < log_accept)) return;
    sums_.change_weight(column, by);
    weight = after;
  }

  /// Draws the sum of all weights, on which choices do not depend, from the prior, if this leaves
  /// all weights within their range.
  void scale(Rng& rng) {
    if (weights_.empty()) return;
    double sum = 0;
    for (double w : weights_) sum += w;
    const double factor = prior_.draw(static_cast<int>(weights_.size()), rng) / sum;
    for (double w : weights_)
      if (w * factor != held(w * factor)) return;
    for (double& w : weights_) w *= factor;
    sums_.scale(factor);
  }

  const ChoiceData* data_;
  EliminationByAspects rule_;
  WeightPrior prior_;
  ChoiceSums sums_;
  std::vector<double> weights_, drawn_;
  const Features* z_ = nullptr;
  int row_ = 0;
  std::vector<int> own_;
};

}  // namespace buffet
