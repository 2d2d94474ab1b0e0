#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/normal_vector.h"
#include "core/number_law.h"
#include "mixed.h"

namespace buffet {

/// A row that is not in the data, given the weights of a draw: its features are drawn from the
/// likelihoods of its entries, without auxiliary variables; its singletons are proposed from the
/// prior. The same few combinations of features recur, so quantities that depend on them are
/// cached.
class NewMixedRow {
 public:
  /// x: the entries of the row, NaN if missing.
  NewMixedRow(Eigen::VectorXd x, const Mixed& given)
      : x_(std::move(x)),
        given_(given),
        bits_(given.weights().cols(), false),
        own_(Eigen::VectorXd::Zero(given.bias().size())) {
    begin_at({given.bias(), log_lik(given.bias()), {}});
  }
  NewMixedRow(const NewMixedRow&) = delete;  // here_ points into known_

  template <class LogOdds, class Rule>
  void sweep(LogOdds log_odds, Rule rule, Rng& rng) {
    rng.permutation(static_cast<int>(bits_.size()), order_);
    for (int k : order_) {
      State& there = flipped(k);
      const double sign = bits_[k] ? -1 : 1;
      const bool has = rule(log_odds(k) + sign * (there.log_lik - here_->log_lik));
      if (has == bits_[k]) continue;
      bits_[k] = has;
      here_ = &there;
    }
  }
  static constexpr bool ratios_add_up = true;
  void enter() {}
  double log_ratio(int k) {
    const double change = flipped(k).log_lik - here_->log_lik;
    return bits_[k] ? -change : change;
  }
  void set(int k, bool on, Rng&) {
    if (bits_[k] == on) return;
    here_ = &flipped(k);
    bits_[k] = on;
  }
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    NumberLaw law;
    law.set(log_prior_ratio);
    const int count = law.draw(rng);
    if (count == 0 && !has_own_) return;
    const double sigma = given_.scales().sigma_a() * std::sqrt(double(count));
    const Eigen::VectorXd proposed = normal_vector(own_.size(), sigma, rng);
    const Eigen::VectorXd eta = here_->eta + proposed - own_;
    const double log_lik_there = log_lik(eta);
    if (std::log(rng.uniform()) >= log_lik_there - here_->log_lik) return;
    own_ = proposed;
    has_own_ = count > 0;
    begin_at({eta, log_lik_there, {}});
  }

  const Eigen::VectorXd& eta() const { return here_->eta; }  ///< linear predictors of the row
  const Eigen::VectorXd& mean() {
    if (here_->mean.size() == 0) here_->mean = given_.families().responses(here_->eta);
    return here_->mean;
  }
  Eigen::VectorXd bits(int count) const {
    Eigen::VectorXd bits(count);
    for (int k = 0; k < count; ++k) bits(k) = bits_[k];
    return bits;
  }

 private:
  /// For one combination of the data's features, without singletons; the mean is computed on
  /// request.
  struct State {
    Eigen::VectorXd eta;
    double log_lik;
    Eigen::VectorXd mean;
  };

  /// Forgets all combinations except this one.
  void begin_at(State state) {
    known_.clear();
    here_ = &known_.emplace(bits_, std::move(state)).first->second;
  }
  /// The combination in which feature k is flipped.
  State& flipped(int k) {
    const double sign = bits_[k] ? -1 : 1;
    std::vector<bool> bits = bits_;
    bits[k].flip();
    const auto [at, is_new] = known_.try_emplace(std::move(bits));
    if (is_new) {
      at->second.eta = here_->eta + sign * given_.weights().col(k);
      at->second.log_lik = log_lik(at->second.eta);
    }
    return at->second;
  }
  double log_lik(const Eigen::VectorXd& eta) const {
    double sum = 0;
    for (int j = 0; j < x_.size(); ++j)
      if (!std::isnan(x_(j)))
        sum += given_.families()[j]->log_density(x_(j), eta.data() + given_.data().first(j));
    return sum;
  }

  Eigen::VectorXd x_;
  const Mixed& given_;
  std::vector<bool> bits_;
  Eigen::VectorXd own_;
  bool has_own_ = false;
  std::unordered_map<std::vector<bool>, State> known_;
  State* here_ = nullptr;
  std::vector<int> order_;
};

}  // namespace buffet
