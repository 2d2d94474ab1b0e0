#include <testthat/vendor/catch.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comparison.h"
#include "draws.h"
#include "weighted.h"

using namespace test;

namespace {

const Scales sigma{0.8, 1.3};
constexpr int most = 10;

/// K+, indicators of K+ = 0, 1, ..., Z Z' and the sum of the loadings (in either orientation).
std::vector<double> quantities(const Features& z, const Eigen::MatrixXd& a) {
  std::vector<double> values{double(z.size()), a.sum()};
  const Eigen::MatrixXd on = dense(z), gram = on * on.transpose();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) values.push_back(gram(i, j));
  for (int k = 0; k < most; ++k) values.push_back(z.size() == k);
  return values;
}

std::string name_of(std::size_t n) {
  if (n < 2) return n == 0 ? "E[K+]" : "E[sum of the loadings]";
  return n < 8 ? "entry " + std::to_string(n - 2) + " of E[ZZ']"
               : "P(K+ = " + std::to_string(n - 8) + ")";
}

/// log p(X | Z, A) of the entries that are not NaN.
double log_density(const Eigen::MatrixXd& x, const Features& z, const Eigen::MatrixXd& a) {
  Eigen::MatrixXd gap = x;
  if (z.size() > 0) gap -= dense(z) * a;
  double sum = 0;
  for (int n = 0; n < gap.size(); ++n)
    if (!std::isnan(gap(n))) sum -= 0.5 * gap(n) * gap(n) * sigma.precision_x();
  return sum;
}

/// Posterior means from draws of Z and A >= 0 from the prior.
std::vector<Weighted> posterior(const PriorCase& prior, const Eigen::MatrixXd& x) {
  Rng rng(201);
  std::vector<Weighted> means(8 + most);
  for (int n = 0; n < scaled(shorter(1000000)); ++n) {
    const Features z = draw_features(3, prior.parameters, rng);
    if (z.size() > prior.max_features) continue;
    const Eigen::MatrixXd a = draw_normal(z.size(), 2, sigma.a, rng).cwiseAbs();
    const double weight = std::exp(log_density(x, z, a));
    const auto values = quantities(z, a);
    for (std::size_t q = 0; q < values.size(); ++q) means[q].add(weight, values[q]);
  }
  return means;
}

/// Computed only once for both samplers.
const std::vector<Weighted>& posterior_of(const PriorCase& prior, Missing missing) {
  static std::map<std::pair<std::string, Missing>, std::vector<Weighted>> made;
  const std::string key =
      prior.name + std::to_string(prior.parameters.discount) + " " + std::to_string(prior.most());
  const auto found = made.find({key, missing});
  if (found != made.end()) return found->second;
  return made.emplace(std::pair(key, missing), posterior(prior, spread_data(missing)))
      .first->second;
}

template <class C>
void compare(const PriorCase& prior, Missing missing) {
  INFO(prior.name);
  const auto& exact = posterior_of(prior, missing);
  CHECK(exact[0].effective() > scaled(shorter(1000000)) / 100.0);
  const buffet::GaussianData data(Eigen::MatrixXd(spread_data(missing).transpose()), false);
  C chain(Features(3), {3, prior.spec()}, {data, fixed_precisions(sigma)}, Rng(202));
  const int sweeps = scaled(shorter(200000, 20));
  std::vector<BatchMean> means(exact.size(), BatchMean(sweeps, 200));
  Limits limits(20);
  for (int t = -100; t < sweeps; ++t) {
    sweep(chain);
    limits.check(chain.z.size());
    if (t < 0) continue;
    const auto values = quantities(chain.z, chain.likelihood.loadings());
    for (std::size_t q = 0; q < values.size(); ++q) means[q].add(values[q]);
  }
  for (std::size_t q = 0; q < exact.size(); ++q) {
    if (q >= 8 && exact[q].value() < 0.01) continue;
    INFO(name_of(q) << " is " << exact[q].value() << ", sampled " << means[q].value());
    const double z =
        z_score(means[q].value() - exact[q].value(), means[q].variance() + exact[q].variance());
    CHECK(std::abs(z) < 4.5);
  }
}

template <class C>
void compare_all(Missing missing, int max_features = std::numeric_limits<int>::max()) {
  for (PriorCase prior : cases_of<C>()) {
    prior.max_features = max_features;
    compare<C>(prior, missing);
  }
}

}  // namespace

TEST_CASE("sweeps with nonnegative loadings have the posterior of weighted draws from the prior") {
  compare_all<NonnegativeChain>(Missing::none);
}

TEST_CASE(
    "slice sweeps with nonnegative loadings have the posterior of weighted draws from the prior") {
  compare_all<NonnegativeSliceChain>(Missing::none);
}

TEST_CASE("sweeps with nonnegative loadings have the posterior given the observed entries") {
  compare_all<NonnegativeChain>(Missing::two_entries);
}

TEST_CASE("slice sweeps with nonnegative loadings have the posterior given the observed entries") {
  compare_all<NonnegativeSliceChain>(Missing::two_entries);
}

TEST_CASE("truncated nonnegative sweeps have the posterior given the limit on features") {
  compare_all<NonnegativeChain>(Missing::none, 2);
  compare_all<NonnegativeSliceChain>(Missing::none, 2);
}
