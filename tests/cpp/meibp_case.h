#pragma once

// A second implementation of the bound used in maximisation-expectation, from its definition, and
// code that its tests share.

#include <testthat/vendor/catch.h>

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "gaussian_case.h"
#include "missing.h"
#include "point/meibp/meibp.h"
#include "quadrature.h"

namespace test {

using buffet::AscentData;
using buffet::MeibpPlan;
using buffet::RowRule;
using State = buffet::Meibp;

constexpr RowRule rules[] = {RowRule::climb, RowRule::local, RowRule::double_greedy};

inline void no_check() {}

/// X (N x D) = Z A + noise with loadings |N(0, sigma_a^2)|.
inline Eigen::MatrixXd draw_nonnegative(const Features& z, int columns, Scales sigma, Rng& rng) {
  Eigen::MatrixXd x = draw_normal(z.rows(), columns, sigma.x, rng);
  if (z.size() > 0) x += dense(z) * draw_normal(z.size(), columns, sigma.a, rng).cwiseAbs();
  return x;
}

/// Data in the form that a maximisation uses.
struct MeibpCase {
  Eigen::MatrixXd x;  ///< N x D
  buffet::GaussianData whole;
  AscentData data;

  explicit MeibpCase(Eigen::MatrixXd x_, bool sparse = false)
      : x(std::move(x_)),
        whole(rows_of(x, 0, static_cast<int>(x.rows()), sparse)),
        data(buffet::Source(whole), whole.columns()) {}
  MeibpCase(const MeibpCase&) = delete;
};

/// A prior and hyperparameters, fixed or learned.
struct MeibpModel {
  std::string name;
  Exchangeable::Spec prior;
  buffet::Precisions precisions;
};

inline std::vector<MeibpModel> meibp_models() {
  std::vector<MeibpModel> models;
  const buffet::Precisions fixed{Hyper::fixed(1.7), Hyper::fixed(0.6)};
  const buffet::Precisions learned{Hyper::gamma(1.3, 0.7), Hyper::gamma(1.4, 0.8)};
  for (const auto& prior : prior_cases()) {
    const auto& p = prior.parameters;
    Exchangeable::Spec spec{Hyper::fixed(p.alpha), Hyper::fixed(p.c), p.discount, p.n_features};
    models.push_back({prior.name + ", fixed", spec, fixed});
    if (p.n_features == 0) spec.alpha = Hyper::gamma(1.7, 0.9);
    models.push_back({prior.name + ", learned", spec, learned});
  }
  return models;
}

inline State state_of(const AscentData& data, const MeibpModel& model,
                      const MeibpPlan& plan = MeibpPlan()) {
  return State(data, plan, Exchangeable(data.rows(), model.prior), model.precisions);
}

/// A settled state at z with random loadings.
inline State random_state(const MeibpCase& c, const MeibpModel& model, Features z, Rng& rng) {
  State state = state_of(c.data, model);
  for (int k = 0; k < z.size(); ++k)
    state.add(z.column(k), draw_normal(c.data.columns, 1, 1, rng).cwiseAbs());
  state.settle({2, 0, 0});
  return state;
}

/// E log q - E log prior of a Gamma factor, and E log of it.
inline double expected_log(const buffet::GammaFactor& q) {
  return q.learned() ? boost::math::digamma(q.shape()) - std::log(q.rate())
                     : std::log(q.prior().value);
}
inline double expected(const buffet::GammaFactor& q) {
  return q.learned() ? q.shape() / q.rate() : q.prior().value;
}
inline double divergence(const buffet::GammaFactor& q) {
  if (!q.learned()) return 0;
  const double a = q.prior().shape, b = q.prior().rate, log_x = expected_log(q);
  const double log_q = q.shape() * std::log(q.rate()) - std::lgamma(q.shape()) +
                       (q.shape() - 1) * log_x - q.rate() * expected(q);
  const double log_p = a * std::log(b) - std::lgamma(a) + (a - 1) * log_x - b * expected(q);
  return log_q - log_p;
}

/// The bound at Z, which replaces the state's own matrix and has the same number of columns, with
/// all factors unchanged: E log p(X, Z, A, hyperparameters) + entropy. Empty columns of Z are
/// ignored.
class NaiveBound {
 public:
  NaiveBound(const State& state, const Eigen::MatrixXd& x) : s_(state), x_(x) {
    const auto& f = s_.factor();
    q_.resize(state.z.size());
    for (int k = 0; k < state.z.size(); ++k)
      for (int d = 0; d < x.cols(); ++d)
        q_[k].push_back(truncated(f.location()(d, k), f.scale()(d, k)));
  }

  double at(const Eigen::MatrixXd& z) const {
    const auto& f = s_.factor();
    return log_lik(z) + log_loadings(z) + log_prior(z) - divergence(f.tau_x()) -
           divergence(f.tau_a()) - divergence(s_.alpha());
  }

 private:
  double log_lik(const Eigen::MatrixXd& z) const {
    const auto& tau = s_.factor().tau_x();
    double sum = 0;
    for (int i = 0; i < x_.rows(); ++i)
      for (int d = 0; d < x_.cols(); ++d) {
        if (std::isnan(x_(i, d))) continue;
        double gap = x_(i, d), variance = 0;
        for (int k = 0; k < z.cols(); ++k)
          if (z(i, k) > 0) {
            gap -= q_[k][d].mean;
            variance += q_[k][d].variance;
          }
        sum += 0.5 * (expected_log(tau) - std::log(2 * M_PI)) -
               0.5 * expected(tau) * (gap * gap + variance);
      }
    return sum;
  }

  /// Includes the entropy of the loadings.
  double log_loadings(const Eigen::MatrixXd& z) const {
    const auto& tau = s_.factor().tau_a();
    double sum = 0;
    for (int k = 0; k < z.cols(); ++k) {
      if (z.col(k).sum() == 0) continue;
      for (const Truncated& a : q_[k])
        sum += 0.5 * std::log(2 / M_PI) + 0.5 * expected_log(tau) -
               0.5 * expected(tau) * (a.mean * a.mean + a.variance) + a.entropy;
    }
    return sum;
  }

  /// E log p(Z | alpha), which is linear in alpha and log alpha if alpha is learned.
  double log_prior(const Eigen::MatrixXd& z) const {
    std::vector<int> counts;
    for (int k = 0; k < z.cols(); ++k)
      if (z.col(k).sum() > 0) counts.push_back(static_cast<int>(z.col(k).sum()));
    const auto& spec = s_.prior().spec();
    const double alpha = std::exp(expected_log(s_.alpha()));
    const int rows = static_cast<int>(x_.rows());
    const Parameters p{alpha, spec.concentration.value, spec.discount, spec.n_features};
    double sum = log_prob(counts, rows, p);
    if (s_.alpha().learned())
      for (int n = 1; n <= rows; ++n)
        sum += (alpha - expected(s_.alpha())) * rate_of_new(n, {1, p.c, p.discount, 0});
    return sum;
  }

  const State& s_;
  const Eigen::MatrixXd& x_;
  std::vector<std::vector<Truncated>> q_;
};

inline double naive_bound(const State& s, const Eigen::MatrixXd& x) {
  return NaiveBound(s, x).at(dense(s.z));
}

/// Compares the state's bound and X Z with their definitions.
inline void check_state(const State& s, const Eigen::MatrixXd& x) {
  CHECK(s.bound() == Approx(naive_bound(s, x)).epsilon(1e-10).margin(1e-9));
  const Eigen::MatrixXd sums = zero_missing(x).transpose() * dense(s.z);
  REQUIRE(s.factor().sums().cols() == sums.cols());
  CHECK((s.factor().sums() - sums).norm() <= 1e-10 * (1 + sums.norm()));
}

}  // namespace test
