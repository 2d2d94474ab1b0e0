#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"
#include "../likelihood/gaussian_collapsed.h"

namespace buffet {

/// The two halves of a feature.
struct Halves {
  Bits first, second;
};

/// Allocates the rows of feature m to two halves, one row after the other: each row joins the
/// first, the second or both with probability proportional to its count so far times the
/// predictive density of its residual, given all other features, under a conjugate model of two
/// features. The same probability is needed for given halves (a merge), so rows can be forced.
class Allocation {
 public:
  Allocation(int m, const Features& z, const GaussianCollapsed& likelihood)
      : m_(m), z_(z), likelihood_(likelihood) {
    mu_ = likelihood.loadings();
    z.column(m).for_each([&](int i) { rows_.push_back(i); });
  }

  /// Draws halves; returns the log probability of the draw.
  double draw(Halves& halves, Rng& rng) {
    return run(rng, [&](int i, const std::array<double, 3>& log_weights) {
      const int s = draw_state(log_weights, rng);
      if (s != 1) halves.first.set(i);
      if (s != 0) halves.second.set(i);
      return s;
    });
  }

  /// Log probability of drawing these halves, in a fresh random order of the rows.
  double log_prob(const Halves& halves, Rng& rng) {
    return run(rng, [&](int i, const std::array<double, 3>&) {
      return halves.first.at(i) ? (halves.second.at(i) ? 2 : 0) : 1;
    });
  }

 private:
  /// States 0, 1, 2: first only, second only, both.
  template <class Choose>
  double run(Rng& rng, Choose choose) {
    start();
    rng.shuffle(rows_);
    double log_q = 0;
    for (int i : rows_) {
      const Eigen::VectorXd e = residual(i);
      const auto log_weights = weigh(e);
      const int s = choose(i, log_weights);
      log_q += log_weights[s];
      learn(s, e);
    }
    return log_q;
  }

  void start() {
    n_ = {0, 0, 0};
    c_.setZero();
    q_.setZero();
    p_.setZero(likelihood_.data().width(), 2);
  }

  Eigen::VectorXd residual(int i) const {
    Eigen::VectorXd e = likelihood_.completed().row(i);
    for (int k = 0; k < z_.size(); ++k)
      if (k != m_ && z_.at(i, k)) e -= mu_.col(k);
    return e;
  }

  /// Normalised log weights of the three states for residual e.
  std::array<double, 3> weigh(const Eigen::VectorXd& e) const {
    const Eigen::Matrix2d m = (c_ + likelihood_.rho() * Eigen::Matrix2d::Identity()).inverse();
    const Eigen::Vector2d fit = m * (p_.transpose() * e);
    const Eigen::Matrix2d g = m * q_ * m;
    const double ee = e.squaredNorm();
    std::array<double, 3> w;
    for (int s = 0; s < 3; ++s) {
      const Eigen::Vector2d on = state(s);
      const double spread = 1 + on.dot(m * on);
      const double distance = ee - 2 * on.dot(fit) + on.dot(g * on);
      w[s] = std::log(n_[s] + (s == 2 ? 0.5 : 1.0)) -
             0.5 * likelihood_.data().columns() * std::log(spread) -
             0.5 * distance / (likelihood_.noise_variance() * spread);
    }
    const double largest = std::max({w[0], w[1], w[2]});
    double total = 0;
    for (double v : w) total += std::exp(v - largest);
    for (double& v : w) v -= largest + std::log(total);
    return w;
  }

  void learn(int s, const Eigen::VectorXd& e) {
    const Eigen::Vector2d on = state(s), pe = p_.transpose() * e;
    q_ += on * pe.transpose() + pe * on.transpose() + e.squaredNorm() * on * on.transpose();
    p_ += e * on.transpose();
    c_ += on * on.transpose();
    ++n_[s];
  }

  static Eigen::Vector2d state(int s) { return {s != 1 ? 1.0 : 0.0, s != 0 ? 1.0 : 0.0}; }

  static int draw_state(const std::array<double, 3>& log_weights, Rng& rng) {
    const double u = rng.uniform();
    if (u < std::exp(log_weights[0])) return 0;
    return u < std::exp(log_weights[0]) + std::exp(log_weights[1]) ? 1 : 2;
  }

  int m_;
  const Features& z_;
  const GaussianCollapsed& likelihood_;
  Eigen::MatrixXd mu_;  ///< D x K
  std::vector<int> rows_;
  std::array<int, 3> n_{};
  Eigen::Matrix2d c_, q_;
  Eigen::MatrixXd p_;
};

/// The factors of the probability of z that these columns are in, and that of their number.
template <class Prior>
double log_prior_factors(const Prior& prior, const Features& z,
                         std::initializer_list<int> columns) {
  double sum = prior.log_prob_of_number(z.size());
  for (int k : columns) sum += prior.log_prob_of_column(z, k);
  return sum;
}

/// Features, what the prior keeps beside them and their statistics, to be changed and then accepted
/// or not.
template <class Prior>
struct Proposal {
  Features z;
  Prior prior;
  GaussianStatistics statistics;

  double log_prior(std::initializer_list<int> columns) const {
    return log_prior_factors(prior, z, columns);
  }

  /// Puts two halves in the place of feature m; returns the log density of what the prior draws.
  double split(int m, const Halves& halves, const Completed& x, Rng& rng) {
    z.replace(m, halves.first);
    prior.replaced(z, m);
    statistics.set_column(m, z, x);
    z.add(halves.second);
    statistics.add_column(z, x);
    return prior.propose(z, z.size() - 1, rng);
  }

  /// Puts a OR b in the place of features a and b; returns its index.
  int merge(int a, int b, const Completed& x) {
    Bits both = z.column(a);
    both |= z.column(b);
    const int m = a == z.size() - 1 ? b : a;
    z.replace(a, std::move(both));
    prior.replaced(z, a);
    z.drop(b);
    statistics.drop(b);
    statistics.set_column(m, z, x);
    return m;
  }
};

inline double current_log_lik(const GaussianCollapsed& likelihood) {
  return likelihood.log_lik(likelihood.statistics());
}

/// Splits a uniform feature; the reverse is the merge of its halves.
template <class Chain>
void split(Chain& chain) {
  auto& z = chain.z;
  auto& likelihood = chain.likelihood;
  if (z.size() < 1) return;
  const int m = chain.rng.below(z.size());
  Halves halves{Bits(z.rows()), Bits(z.rows())};
  double log_q = Allocation(m, z, likelihood).draw(halves, chain.rng);
  if (halves.first.count() == 0 || halves.second.count() == 0) return;
  Proposal<std::decay_t<decltype(chain.prior)>> proposal{z, chain.prior, likelihood.statistics()};
  log_q += proposal.split(m, halves, likelihood.completed(), chain.rng);
  const double log_prior =
      proposal.log_prior({m, z.size()}) - log_prior_factors(chain.prior, z, {m});
  const double log_accept =
      likelihood.log_lik(proposal.statistics) - current_log_lik(likelihood) + log_prior - log_q;
  if (!(std::log(chain.rng.uniform()) < log_accept)) return;
  z = std::move(proposal.z);
  chain.prior = std::move(proposal.prior);
  likelihood.accept(std::move(proposal.statistics));
}

/// Merges a uniform pair; the reverse is the split that would draw it.
template <class Chain>
void merge(Chain& chain) {
  auto& z = chain.z;
  auto& likelihood = chain.likelihood;
  if (z.size() < 2) return;
  const int a = chain.rng.below(z.size());
  int b = chain.rng.below(z.size() - 1);
  if (b >= a) ++b;
  const Halves halves{z.column(a), z.column(b)};
  Proposal<std::decay_t<decltype(chain.prior)>> proposal{z, chain.prior, likelihood.statistics()};
  const int m = proposal.merge(a, b, likelihood.completed());
  GaussianCollapsed merged = likelihood;
  merged.accept(std::move(proposal.statistics));
  const double log_q = Allocation(m, proposal.z, merged).log_prob(halves, chain.rng) +
                       chain.prior.log_proposed(z, b);
  const double log_prior = proposal.log_prior({m}) - log_prior_factors(chain.prior, z, {a, b});
  const double log_accept =
      current_log_lik(merged) - current_log_lik(likelihood) + log_prior + log_q;
  if (!(std::log(chain.rng.uniform()) < log_accept)) return;
  z = std::move(proposal.z);
  chain.prior = std::move(proposal.prior);
  likelihood = std::move(merged);
}

/// One split or merge, with probability 1/2 each; refused when there are too few features.
template <class Chain>
void split_merge(Chain& chain) {
  if (chain.rng.bernoulli(0.5))
    split(chain);
  else
    merge(chain);
}

}  // namespace buffet
