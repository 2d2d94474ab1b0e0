#pragma once

// A second implementation of the bound of mean-field inference, from its definition, as a function
// of all parameters of the factors.

#include <testthat/vendor/catch.h>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <type_traits>
#include <vector>

#include "meibp_case.h"
#include "point/variational/gaussian_joint_factor.h"
#include "point/variational/variational_run.h"

namespace test {

using boost::math::digamma;
using buffet::FiniteProbabilities;
using buffet::GaussianFactor;
using buffet::GaussianJointFactor;
using buffet::NonnegativeNormal;
using buffet::StickProbabilities;
using buffet::UntruncatedNormal;
using buffet::Variational;

/// Sum of E log p(pi or v), the entropy of pi or v, and E log p(Z), given the expected counts.
inline double naive_probabilities(const FiniteProbabilities& q, const Eigen::VectorXd& counts,
                                  int rows, const FiniteProbabilities::Spec& spec) {
  const double share = expected(q.alpha()) * spec.concentration / spec.features;
  double sum = -divergence(q.alpha());
  for (int k = 0; k < spec.features; ++k) {
    const double a = q.factors()[k].on, b = q.factors()[k].off;
    const double on = digamma(a) - digamma(a + b), off = digamma(b) - digamma(a + b);
    const double held = k < counts.size() ? counts(k) : 0;
    sum += held * on + (rows - held) * off;
    // If alpha is learned, c = 1 and the density is alpha / K pi^(alpha / K - 1).
    sum += spec.alpha.learned ? expected_log(q.alpha()) - std::log(spec.features) + (share - 1) * on
                              : (share - 1) * on + (spec.concentration - 1) * off -
                                    std::log(boost::math::beta(share, spec.concentration));
    sum += std::log(boost::math::beta(a, b)) - (a - 1) * on - (b - 1) * off;
  }
  return sum;
}

/// The multinomial bound with optimal weights.
inline double naive_log_absent(const std::vector<buffet::BetaFactor>& v, int k) {
  std::vector<double> worth;
  double before = 0, total = 0;
  for (int y = 0; y <= k; ++y) {
    const double sum = digamma(v[y].on + v[y].off);
    worth.push_back(before + digamma(v[y].off) - sum);
    before += digamma(v[y].on) - sum;
    total += std::exp(worth.back());
  }
  double bound = 0;
  for (double w : worth) {
    const double q = std::exp(w) / total;
    bound += q * (w - std::log(q));
  }
  return bound;
}

inline double naive_probabilities(const StickProbabilities& q, const Eigen::VectorXd& counts,
                                  int rows, const StickProbabilities::Spec& spec) {
  double sum = -divergence(q.alpha()), log_on = 0;
  for (int k = 0; k < spec.features; ++k) {
    const double a = q.factors()[k].on, b = q.factors()[k].off;
    const double on = digamma(a) - digamma(a + b), off = digamma(b) - digamma(a + b);
    log_on += on;
    const double held = k < counts.size() ? counts(k) : 0;
    sum += held * log_on + (rows - held) * naive_log_absent(q.factors(), k);
    sum += expected_log(q.alpha()) + (expected(q.alpha()) - 1) * on;
    sum += std::log(boost::math::beta(a, b)) - (a - 1) * on - (b - 1) * off;
  }
  return sum;
}

inline double naive_entropy(const Eigen::MatrixXd& on) {
  double sum = 0;
  for (Eigen::Index n = 0; n < on.size(); ++n)
    for (double p : {on(n), 1 - on(n)})
      if (p > 0) sum -= p * std::log(p);
  return sum;
}

/// E log p(X | Z, A) over the observed entries, from the moments of Z (K x N) and A (D x K).
template <class Factor, class Covariance>
double naive_log_lik(const Factor& f, const Eigen::MatrixXd& on, const Eigen::MatrixXd& x,
                     Covariance covariance) {
  double sum = 0;
  for (int i = 0; i < x.rows(); ++i)
    for (int d = 0; d < x.cols(); ++d) {
      if (std::isnan(x(i, d))) continue;
      double square = x(i, d) * x(i, d);
      for (int k = 0; k < on.rows(); ++k) {
        square -= 2 * x(i, d) * on(k, i) * f.mean()(d, k);
        for (int l = 0; l < on.rows(); ++l) {
          const double both = k == l ? on(k, i) : on(k, i) * on(l, i);
          square += both * (f.mean()(d, k) * f.mean()(d, l) + covariance(d, k, l));
        }
      }
      sum +=
          0.5 * (expected_log(f.tau_x()) - std::log(2 * M_PI)) - 0.5 * expected(f.tau_x()) * square;
    }
  return sum;
}

/// E log p(A) and the entropy of independent loadings.
template <class Loading>
double naive_loadings(const GaussianFactor<Loading>& f, bool nonnegative) {
  double sum = 0;
  for (Eigen::Index n = 0; n < f.location().size(); ++n) {
    const double location = f.location()(n), scale = f.scale()(n);
    const Truncated a = nonnegative
                            ? truncated(location, scale)
                            : Truncated{location, scale * scale,
                                        std::log(scale) + 0.5 * std::log(2 * M_PI) + 0.5, 0};
    sum += 0.5 * (expected_log(f.tau_a()) - std::log(2 * M_PI)) + (nonnegative ? std::log(2) : 0) -
           0.5 * expected(f.tau_a()) * (a.mean * a.mean + a.variance) + a.entropy;
  }
  return sum;
}

template <class Loading>
double naive_gaussian(const GaussianFactor<Loading>& f, const Eigen::MatrixXd& on,
                      const Eigen::MatrixXd& x) {
  const auto covariance = [&](int d, int k, int l) { return k == l ? f.variance()(d, k) : 0.0; };
  return naive_log_lik(f, on, x, covariance) +
         naive_loadings(f, std::is_same_v<Loading, NonnegativeNormal>) - divergence(f.tau_x()) -
         divergence(f.tau_a());
}

inline double naive_gaussian(const GaussianJointFactor<UntruncatedNormal>& f,
                             const Eigen::MatrixXd& on, const Eigen::MatrixXd& x) {
  const auto covariance = [&](int d, int k, int l) { return f.covariance(d)(k, l); };
  double sum = naive_log_lik(f, on, x, covariance) - divergence(f.tau_x()) - divergence(f.tau_a());
  for (int d = 0; d < x.cols(); ++d) {
    const Eigen::MatrixXd& v = f.covariance(d);
    sum += 0.5 * std::log(v.determinant()) + 0.5 * double(v.rows()) * (1 + std::log(2 * M_PI)) +
           0.5 * double(v.rows()) * (expected_log(f.tau_a()) - std::log(2 * M_PI)) -
           0.5 * expected(f.tau_a()) * (f.mean().row(d).squaredNorm() + v.trace());
  }
  return sum;
}

template <class State>
double naive_bound(const State& s, const Eigen::MatrixXd& x, const typename State::Model& model) {
  return naive_gaussian(s.factor(), s.z.on, x) + naive_entropy(s.z.on) +
         naive_probabilities(s.probabilities(), s.z.on.rowwise().sum(), static_cast<int>(x.rows()),
                             model.probabilities);
}

/// A settled state in which the features have random probabilities.
template <class State>
State random_soft_state(const MeibpCase& c, const typename State::Model& model, int size,
                        Rng& rng) {
  State state(c.data, model, 1);
  for (int k = 0; k < size; ++k)
    state.add(Eigen::VectorXd::NullaryExpr(c.x.rows(), [&] { return rng.uniform(); }),
              Eigen::VectorXd::Zero(c.x.cols()));
  state.settle(no_check);
  return state;
}

using FiniteNormal = Variational<FiniteProbabilities, GaussianFactor<UntruncatedNormal>>;
using FiniteNonnegative = Variational<FiniteProbabilities, GaussianFactor<NonnegativeNormal>>;
using SticksNormal = Variational<StickProbabilities, GaussianFactor<UntruncatedNormal>>;
using SticksNonnegative = Variational<StickProbabilities, GaussianFactor<NonnegativeNormal>>;
using JointNormal = Variational<FiniteProbabilities, GaussianJointFactor<UntruncatedNormal>>;
using JointNonnegative = Variational<FiniteProbabilities, GaussianJointFactor<NonnegativeNormal>>;

template <class State>
typename State::Model model_of(bool learned, int features) {
  typename State::Model model;
  model.probabilities.alpha = learned ? Hyper::gamma(1.7, 0.9) : Hyper::fixed(1.4);
  model.probabilities.features = features;
  model.precisions = learned ? buffet::Precisions{Hyper::gamma(1.3, 0.7), Hyper::gamma(1.4, 0.8)}
                             : buffet::Precisions{Hyper::fixed(1.7), Hyper::fixed(0.6)};
  return model;
}

/// Calls f(state type) for every kind of state whose bound is a lower bound on the evidence.
template <class F>
void for_bounds(F f) {
  f(static_cast<FiniteNormal*>(nullptr));
  f(static_cast<FiniteNonnegative*>(nullptr));
  f(static_cast<SticksNormal*>(nullptr));
  f(static_cast<SticksNonnegative*>(nullptr));
  f(static_cast<JointNormal*>(nullptr));
}
template <class F>
void for_all_states(F f) {
  for_bounds(f);
  f(static_cast<JointNonnegative*>(nullptr));
}

template <class Pointer>
using StateOf = std::remove_pointer_t<Pointer>;

inline Eigen::MatrixXd soft_data(int rows, int columns, bool nonnegative, Rng& rng) {
  const Features z = random_features(rows, 3, rng);
  return nonnegative ? draw_nonnegative(z, columns, {0.7, 1.4}, rng)
                     : draw_data(z, columns, {0.7, 1.4}, rng);
}

}  // namespace test
