#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <vector>

#include "core/special.h"
#include "point/factor/gamma_factor.h"

namespace buffet {

/// A Beta(on, off) factor.
struct BetaFactor {
  double on = 1, off = 1;

  double mean_log() const { return digamma(on) - digamma(on + off); }
  double mean_log_complement() const { return digamma(off) - digamma(on + off); }
  double entropy() const {
    return log_beta(on, off) - (on - 1) * digamma(on) - (off - 1) * digamma(off) +
           (on + off - 2) * digamma(on + off);
  }

  static double digamma(double x) { return boost::math::digamma(x); }

  template <class Archive>
  void archive(Archive& a) {
    a(on);
    a(off);
  }
};

/// q(pi) of the finite model, pi_k ~ Beta(alpha c / K, c), independent Betas (Doshi-Velez et al.
/// 2009 section 3.2), and q(alpha). Features beyond those that have counts are held by no row.
class FiniteProbabilities {
 public:
  struct Spec {
    Hyper alpha;
    double concentration = 1;  ///< 1 where alpha is learned
    int features = 1;          ///< K
  };

  FiniteProbabilities(int rows, const Spec& spec)
      : rows_(rows),
        spec_(spec),
        alpha_(spec.alpha),
        pi_(spec.features),
        mean_log_(spec.features),
        mean_log_complement_(spec.features) {
    update(Eigen::VectorXd());
  }

  int most_features() const { return spec_.features; }
  const GammaFactor& alpha() const { return alpha_; }
  const std::vector<BetaFactor>& factors() const { return pi_; }
  /// E log pi_k, and E log (1 - pi_k) or a bound of it.
  double log_on(int k) const { return mean_log_(k); }
  double log_off(int k) const { return mean_log_complement_(k); }

  /// The best factors given the expected numbers of rows that hold features.
  void update(const Eigen::VectorXd& counts) {
    for (int k = 0; k < spec_.features; ++k) {
      const double held = k < counts.size() ? counts(k) : 0;
      pi_[k] = {share() + held, spec_.concentration + rows_ - held};
    }
    tabulate();
    if (alpha_.learned()) alpha_.update(spec_.features, -mean_log_.sum() / spec_.features);
  }

  /// E log p(Z, pi, alpha) plus the entropies of pi and alpha.
  double bound(const Eigen::VectorXd& counts) const {
    double sum = alpha_.log_prior_and_entropy();
    for (int k = 0; k < spec_.features; ++k) {
      const double held = k < counts.size() ? counts(k) : 0;
      sum += log_prior(k) + held * log_on(k) + (rows_ - held) * log_off(k) + pi_[k].entropy();
    }
    return sum;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(alpha_);
    for (BetaFactor& pi : pi_) a(pi);
    if (a.reads()) tabulate();
  }

 private:
  double share() const { return alpha_.mean() * spec_.concentration / spec_.features; }

  /// E log of the density of pi_k.
  double log_prior(int k) const {
    if (alpha_.learned())
      return alpha_.mean_log() - std::log(spec_.features) + (share() - 1) * log_on(k);
    return (share() - 1) * log_on(k) + (spec_.concentration - 1) * log_off(k) -
           log_beta(share(), spec_.concentration);
  }

  void tabulate() {
    for (int k = 0; k < spec_.features; ++k) {
      mean_log_(k) = pi_[k].mean_log();
      mean_log_complement_(k) = pi_[k].mean_log_complement();
    }
  }

  int rows_;
  Spec spec_;
  GammaFactor alpha_;
  std::vector<BetaFactor> pi_;
  Eigen::VectorXd mean_log_, mean_log_complement_;
};

/// q(v) of the first K sticks, pi_k = v_1 ... v_k, v_k ~ Beta(alpha, 1), independent Betas, and
/// q(alpha). E log (1 - pi_k) is bounded by the multinomial bound, whose weights q_k(y) are the
/// best (Doshi-Velez et al. 2009 section 3.3).
class StickProbabilities {
 public:
  struct Spec {
    Hyper alpha;
    int features = 1;  ///< K
  };

  StickProbabilities(int rows, const Spec& spec)
      : rows_(rows),
        alpha_(spec.alpha),
        v_(spec.features, {1, 1}),
        log_on_(spec.features),
        log_off_(spec.features),
        weights_(Eigen::MatrixXd::Zero(spec.features, spec.features)) {
    tabulate();
    update(Eigen::VectorXd());
  }

  int most_features() const { return size(); }
  const GammaFactor& alpha() const { return alpha_; }
  const std::vector<BetaFactor>& factors() const { return v_; }
  double log_on(int k) const { return log_on_(k); }
  double log_off(int k) const { return log_off_(k); }

  /// Better factors given the expected numbers of rows that hold features.
  void update(const Eigen::VectorXd& of_features) {
    const Eigen::VectorXd counts = of_all(of_features);
    for (int round = 0; round < 3; ++round) {
      const Eigen::VectorXd absent = rows_ - counts.array();
      // From the last stick: who holds it or a later one, and the weights of later breaks.
      double held = 0;
      Eigen::VectorXd later = Eigen::VectorXd::Zero(size());
      for (int k = size() - 1; k >= 0; --k) {
        held += counts(k);
        v_[k].on = alpha_.mean() + held + absent.dot(later);
        v_[k].off = 1 + absent.dot(weights_.col(k));
        later += weights_.col(k);
      }
      tabulate();
      if (!alpha_.learned()) continue;
      double rate = 0;
      for (const BetaFactor& v : v_) rate -= v.mean_log();
      alpha_.update(size(), rate);
    }
  }

  /// E log p(Z, v, alpha), the multinomial bound in it, plus the entropies of v and alpha.
  double bound(const Eigen::VectorXd& of_features) const {
    const Eigen::VectorXd counts = of_all(of_features);
    double sum = alpha_.log_prior_and_entropy();
    for (int k = 0; k < size(); ++k)
      sum += alpha_.mean_log() + (alpha_.mean() - 1) * v_[k].mean_log() + v_[k].entropy() +
             counts(k) * log_on_(k) + (rows_ - counts(k)) * log_off_(k);
    return sum;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(alpha_);
    for (BetaFactor& v : v_) a(v);
    if (a.reads()) tabulate();
  }

 private:
  int size() const { return static_cast<int>(v_.size()); }

  /// Features beyond those that have counts are held by no row.
  Eigen::VectorXd of_all(Eigen::VectorXd counts) const {
    const auto given = counts.size();
    counts.conservativeResize(size());
    counts.tail(size() - given).setZero();
    return counts;
  }

  /// E log pi_k, the weights, and log of the sum that they are the shares of: with v_y the first
  /// stick that breaks, E log (1 - v_y) + sum_{m < y} E log v_m.
  void tabulate() {
    Eigen::VectorXd log_first(size());
    double log_before = 0, log_sum = -INFINITY;
    for (int k = 0; k < size(); ++k) {
      log_first(k) = log_before + v_[k].mean_log_complement();
      log_before += v_[k].mean_log();
      log_on_(k) = log_before;
      const double most = std::max(log_sum, log_first(k));
      log_sum = most + std::log(std::exp(log_sum - most) + std::exp(log_first(k) - most));
      log_off_(k) = log_sum;
      for (int y = 0; y <= k; ++y) weights_(k, y) = std::exp(log_first(y) - log_sum);
    }
  }

  int rows_;
  GammaFactor alpha_;
  std::vector<BetaFactor> v_;
  Eigen::VectorXd log_on_, log_off_;
  Eigen::MatrixXd weights_;  ///< q_k(y): row k, column y
};

}  // namespace buffet
