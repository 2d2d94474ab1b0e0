#include <functional>

#include "variational_case.h"

using namespace test;

namespace {

const Eigen::VectorXd counts = Eigen::Vector3d(5.3, 0.2, 2.6);
constexpr int rows = 9;

std::vector<FiniteProbabilities::Spec> finite_specs() {
  return {{Hyper::fixed(1.7), 1, 3},
          {Hyper::fixed(1.7), 2.4, 5},
          {Hyper::gamma(1.3, 0.7), 1, 3},
          {Hyper::gamma(1.3, 0.7), 1, 6}};
}

std::vector<StickProbabilities::Spec> stick_specs() {
  return {{Hyper::fixed(1.7), 3}, {Hyper::gamma(1.3, 0.7), 3}, {Hyper::gamma(2.1, 0.4), 5}};
}

template <class Q>
void check_bound(const typename Q::Spec& spec) {
  Q q(rows, spec);
  double before = -INFINITY;
  for (int n = 0; n < 30; ++n) {
    q.update(counts);
    const double bound = q.bound(counts);
    CHECK(bound == Approx(naive_probabilities(q, counts, rows, spec)).epsilon(1e-10));
    CHECK(bound >= before - 1e-10);
    before = bound;
  }
  for (int n = 0; n < 3000; ++n) q.update(counts);
  const double last = q.bound(counts);
  q.update(counts);
  CHECK(q.bound(counts) - last < 1e-9);
}

/// log E exp of the terms that depend on v, that is, the evidence of these counts if every bit is
/// known with certainty.
double log_evidence_of_sticks(double alpha, const std::vector<int>& held) {
  const auto integrand = [&](long double first, long double second) {
    const long double pi[] = {first, first * second};
    long double density = alpha * alpha * std::pow(first * second, alpha - 1);
    for (int k = 0; k < 2; ++k)
      density *= std::pow(pi[k], held[k]) * std::pow(1 - pi[k], rows - held[k]);
    return density;
  };
  const auto inner = [&](long double first) {
    return integral([&](long double second) { return integrand(first, second); }, 0, 1, 8);
  };
  return static_cast<double>(std::log(integral(inner, 0, 1, 8)));
}

}  // namespace

TEST_CASE("the bound of the probabilities equals its definition, rises and settles") {
  for (const auto& spec : finite_specs()) check_bound<FiniteProbabilities>(spec);
  for (const auto& spec : stick_specs()) check_bound<StickProbabilities>(spec);
}

TEST_CASE("with Z known, the finite bound is the log evidence of Z; the stick bound is below it") {
  const std::vector<int> held{6, 2};
  const Eigen::VectorXd counts = Eigen::Vector2d(6, 2);
  for (double alpha : {1.7, 3.4}) {
    FiniteProbabilities finite(rows, {Hyper::fixed(alpha), 1.6, 2});
    finite.update(counts);
    double exact = 0;
    for (int m : held)
      exact += std::log(boost::math::beta(alpha * 1.6 / 2 + m, 1.6 + rows - m)) -
               std::log(boost::math::beta(alpha * 1.6 / 2, 1.6));
    CHECK(finite.bound(counts) == Approx(exact).epsilon(1e-10));

    StickProbabilities sticks(rows, {Hyper::fixed(alpha), 2});
    for (int n = 0; n < 500; ++n) sticks.update(counts);
    const double evidence = log_evidence_of_sticks(alpha, held);
    CHECK(sticks.bound(counts) <= evidence + 1e-10);
    CHECK(sticks.bound(counts) > evidence - 1);
  }
}

TEST_CASE("features without a count are in no row") {
  for (const auto& spec : stick_specs()) {
    StickProbabilities few(rows, spec), all(rows, spec);
    Eigen::VectorXd padded = Eigen::VectorXd::Zero(spec.features);
    padded.head(2) = counts.head(2);
    few.update(counts.head(2));
    all.update(padded);
    CHECK(few.bound(counts.head(2)) == all.bound(padded));
  }
}

TEST_CASE("probabilities are saved and read") {
  StickProbabilities q(rows, {Hyper::gamma(1.3, 0.7), 3}), other = q;
  q.update(counts);
  auto bytes = buffet::to_bytes(q);
  buffet::from_bytes(bytes, other);
  CHECK(other.bound(counts) == q.bound(counts));
  q.update(counts);
  other.update(counts);
  CHECK(other.bound(counts) == q.bound(counts));
}
