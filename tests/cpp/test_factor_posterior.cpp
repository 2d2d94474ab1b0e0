#include <testthat/vendor/catch.h>

#include <cmath>
#include <vector>

#include "factor_joint.h"
#include "log_normal.h"
#include "scale.h"
#include "statistics.h"

using namespace test;
using buffet::CountWeight;
using buffet::Exchangeable;
using buffet::Gibbs;
using buffet::LaplaceFeatures;
using buffet::LaplaceWeight;
using buffet::NonnegativeWeight;
using buffet::NormalWeight;
using buffet::WeightsJointly;
using buffet::WeightsSingly;

namespace {

/// Quantities that do not depend on the order and the signs of features.
template <class Law>
std::vector<Statistic> invariants(const FactorJoint& s, const FactorModel<Law>& model) {
  double pairs = 0, common = 0;
  for (int k = 0; k < s.z.size(); ++k) {
    pairs += s.z.at(0, k) && s.z.at(1, k);
    common += s.z.count(k) > 1;
  }
  const Eigen::MatrixXd gram = s.z.size() == 0 ? Eigen::MatrixXd::Zero(model.rows, model.rows)
                                               : Eigen::MatrixXd(s.v * s.v.transpose());
  return {{"features", s.z.size() * 1.0},
          {"ones", s.z.total() * 1.0},
          {"common", common},
          {"of the first two rows", pairs},
          {"sizes of weights", s.v.cwiseAbs().sum()},
          {"weights of the first two rows", std::tanh(gram(0, 1))},
          {"squares of the last row", std::log1p(gram(model.rows - 1, model.rows - 1))},
          {"alpha", s.parameters.alpha},
          {"log sigma_a", std::log(s.sigma_a)},
          {"sizes of local precisions", s.local.log().cwiseAbs().sum()},
          {"log first noise", std::log(s.noise(0))},
          {"log last noise", std::log(s.noise(s.noise.size() - 1))}};
}

/// log p(X | everything except the loadings), column by column.
template <class Law>
double log_density(const FactorJoint& s, const FactorModel<Law>& model, const Eigen::MatrixXd& x) {
  double sum = 0;
  for (int d = 0; d < model.columns; ++d) {
    Eigen::VectorXd seen = x.col(d), variances(model.rows);
    for (int i = 0; i < model.rows; ++i) {
      variances(i) = 1 / model.precision(s, i, d);
      if (model.features().is_hidden(i, d)) seen(i) = NAN;
    }
    Eigen::MatrixXd covariance = variances.asDiagonal();
    if (s.z.size() > 0) {
      const Eigen::MatrixXd scaled = s.v * model.sds(s).asDiagonal();
      covariance += scaled * scaled.transpose();
    }
    sum += log_normal(seen, covariance);
  }
  return sum;
}

/// Posterior means and their variances, from prior draws weighted by the likelihood.
template <class Law>
struct Weighted {
  std::vector<double> mean, variance;

  Weighted(const FactorModel<Law>& model, const Eigen::MatrixXd& x, int draws, Rng rng) {
    std::vector<double> weights;
    std::vector<std::vector<double>> values;
    double total = 0;
    for (int n = 0; n < draws; ++n) {
      const FactorJoint s = model.draw(rng);
      weights.push_back(std::exp(log_density(s, model, x)));
      total += weights.back();
      values.emplace_back();
      for (const Statistic& of : invariants(s, model)) values.back().push_back(of.value);
    }
    mean.assign(values[0].size(), 0);
    variance = mean;
    for (int n = 0; n < draws; ++n)
      for (std::size_t m = 0; m < mean.size(); ++m) mean[m] += weights[n] / total * values[n][m];
    for (int n = 0; n < draws; ++n)
      for (std::size_t m = 0; m < mean.size(); ++m)
        variance[m] += std::pow(weights[n] / total * (values[n][m] - mean[m]), 2);
  }
};

template <class C, class Law>
void check_posterior(const FactorModel<Law>& model, unsigned seed) {
  INFO(model.name());
  Rng rng(seed);
  FactorJoint start = model.draw(rng);
  while (start.z.size() == 0) start = model.draw(rng);
  const Eigen::MatrixXd x = start.x;
  const Weighted<Law> exact(model, x, scaled(shorter(300000, 6)), Rng(seed + 1));
  using Of = FactorSimulated<C, Law>;
  const auto data = Of::data(model, start);
  C chain = Of::chain(model, data, start, Rng(seed + 2));
  Of::set(model, start, chain);
  const int sweeps = scaled(shorter(60000, 6));
  std::vector<BatchMean> means(exact.mean.size(), BatchMean(sweeps, 200));
  std::vector<Statistic> last;
  for (int t = -200; t < sweeps; ++t) {
    chain.sweep();
    if (t < 0) continue;
    last = invariants(Of::state(model, start, chain, rng), model);
    for (std::size_t m = 0; m < means.size(); ++m) means[m].add(last[m].value);
  }
  for (std::size_t m = 0; m < means.size(); ++m) {
    INFO(last[m].name << " is " << exact.mean[m] << ", sampled " << means[m].value());
    const double z =
        z_score(means[m].value() - exact.mean[m], means[m].variance() + exact.variance[m]);
    CHECK(std::abs(z) < 4.5);
  }
}

template <class C, class Law>
void check_noises(unsigned seed) {
  for (NoiseOf noise : {NoiseOf::all, NoiseOf::row, NoiseOf::column})
    for (bool hides : {false, true})
      check_posterior<C, Law>({prior_cases()[1], 3, 2, noise, hides, hides}, seed += 10);
}

}  // namespace

TEST_CASE("sweeps of normal weights drawn jointly match the exact posterior") {
  check_noises<Gibbs<Exchangeable, WeightsJointly>, NormalWeight>(1000);
}
TEST_CASE("sweeps of normal weights drawn one by one match the exact posterior") {
  check_noises<Gibbs<Exchangeable, WeightsSingly<NormalWeight>>, NormalWeight>(2000);
}
TEST_CASE("sweeps of nonnegative weights match the exact posterior") {
  check_noises<Gibbs<Exchangeable, WeightsSingly<NonnegativeWeight>>, NonnegativeWeight>(3000);
}
TEST_CASE("sweeps of Laplace weights match the exact posterior") {
  check_noises<Gibbs<Exchangeable, LaplaceFeatures>, LaplaceWeight>(4000);
}
TEST_CASE("sweeps of counts as weights match the exact posterior") {
  check_noises<Gibbs<Exchangeable, WeightsSingly<CountWeight>>, CountWeight>(5000);
}
