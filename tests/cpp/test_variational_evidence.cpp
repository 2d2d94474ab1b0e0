#include <algorithm>
#include <cmath>

#include "nonnegative_integral.h"
#include "variational_case.h"

using namespace test;

// The evidence of the truncated model, by enumeration of all matrices with three rows and two
// columns; loadings are integrated out analytically or numerically.

namespace {

const Scales sigma{0.8, 1.3};
constexpr double alpha = 1.4;

Eigen::MatrixXd small_data(bool complete) {
  Eigen::MatrixXd x(3, 2);
  x << 1.4, -0.9, 0.6, 1.1, 2.9, 0.8;
  if (!complete) x(1, 0) = std::nan("");
  return x;
}

Eigen::MatrixXd matrix(int bits) {
  Eigen::MatrixXd z(3, 2);
  for (int n = 0; n < 6; ++n) z(n) = bits >> n & 1;
  return z;
}

/// log P(Z) under the finite model, for labelled columns.
double log_prior(const FiniteProbabilities::Spec& spec, const Eigen::MatrixXd& z) {
  double sum = 0;
  for (int k = 0; k < 2; ++k) {
    const double m = z.col(k).sum();
    sum += std::log(boost::math::beta(alpha / spec.features + m, 1 + 3 - m)) -
           std::log(boost::math::beta(alpha / spec.features, 1.0));
  }
  return sum;
}

/// log P(Z) with two sticks, for labelled columns.
double log_prior(const StickProbabilities::Spec&, const Eigen::MatrixXd& z) {
  const double m1 = z.col(0).sum(), m2 = z.col(1).sum();
  const auto inner = [&](long double first) {
    return integral(
        [&](long double v) {
          const long double second = first * v;
          return alpha * alpha * std::pow(first * v, alpha - 1) * std::pow(first, m1) *
                 std::pow(1 - first, 3 - m1) * std::pow(second, m2) * std::pow(1 - second, 3 - m2);
        },
        0, 1, 6);
  };
  return static_cast<double>(std::log(integral(inner, 0, 1, 6)));
}

template <class State>
double log_evidence(const typename State::Model& model, const Eigen::MatrixXd& x) {
  double prior = 0, evidence = 0;
  for (int bits = 0; bits < 64; ++bits) {
    const Eigen::MatrixXd z = matrix(bits);
    double likelihood = 0;
    if (State::Factor::nonnegative)
      for (int d = 0; d < 2; ++d) likelihood += log_nonnegative_integral(z, x.col(d), sigma);
    else
      likelihood = log_lik(z, x, sigma);
    const double log_p = log_prior(model.probabilities, z);
    prior += std::exp(log_p);
    evidence += std::exp(log_p + likelihood);
  }
  CHECK(prior == Approx(1).epsilon(1e-5));
  return std::log(evidence);
}

/// The highest bound over many starts.
template <class State>
double highest_bound(const typename State::Model& model, const MeibpCase& c, double evidence) {
  Rng rng(431);
  double highest = -INFINITY;
  for (int start = 0; start < 20; ++start) {
    State state = random_soft_state<State>(c, model, 2, rng);
    for (int n = 0; n < 200; ++n) state.iterate(no_check);
    CHECK(state.bound() <= evidence + 1e-9);
    highest = std::max(highest, state.bound());
  }
  return highest;
}

template <class State>
void check_below_evidence() {
  typename State::Model model;
  model.probabilities.alpha = Hyper::fixed(alpha);
  model.probabilities.features = 2;
  model.precisions = fixed_precisions(sigma);
  for (bool complete : {true, false}) {
    const MeibpCase c(small_data(complete));
    const double evidence = log_evidence<State>(model, c.x);
    CHECK(highest_bound<State>(model, c, evidence) > evidence - 3);
  }
}

}  // namespace

TEST_CASE("the finite bound is at most the log evidence of the finite model") {
  check_below_evidence<Variational<FiniteProbabilities, GaussianFactor<UntruncatedNormal>>>();
  check_below_evidence<Variational<FiniteProbabilities, GaussianFactor<NonnegativeNormal>>>();
}

TEST_CASE("the infinite bound is at most the log evidence of the truncated sticks") {
  check_below_evidence<Variational<StickProbabilities, GaussianFactor<UntruncatedNormal>>>();
  check_below_evidence<Variational<StickProbabilities, GaussianFactor<NonnegativeNormal>>>();
}

TEST_CASE("the bound with joint loadings is between the independent bound and the log evidence") {
  check_below_evidence<Variational<FiniteProbabilities, GaussianJointFactor<UntruncatedNormal>>>();
  check_below_evidence<Variational<FiniteProbabilities, GaussianJointFactor<NonnegativeNormal>>>();
}
