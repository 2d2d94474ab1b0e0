#include <algorithm>
#include <set>
#include <vector>

#include "cascade/cascade_start.h"
#include "cascade_exact.h"
#include "laws.h"

using buffet::CascadeDensity;
using buffet::CascadeStart;
using namespace test;

namespace {

const double none = std::nan("");

CascadeModel known_structure(double alpha, double deep, double c) {
  CascadeModel model;
  model.alpha = Hyper::fixed(alpha);
  model.alpha_deep = Hyper::fixed(deep);
  model.concentration = Hyper::fixed(c);
  model.max_layers = 10;
  return model;
}

double harmonic_of(int k, double c) {
  double sum = 0;
  for (int i = 1; i <= k; ++i) sum += c / (c + i - 1);
  return sum;
}

/// The law of the number of units in the next layer, given the law for this layer.
Law next_width(const Law& widths, double alpha, double c) {
  Law next(40, 0);
  for (int k = 0; k < 40; ++k) {
    if (k == 0) {
      next[0] += widths[0];
      continue;
    }
    const Law given = poisson(alpha * harmonic_of(k, c));
    for (int j = 0; j < 40; ++j) next[j] += widths[k] * given[j];
  }
  return next;
}

/// Without data, checks the numbers of columns of the visible layer by size, and the numbers of
/// units by layer.
void check_without_data(const CascadeModel& model) {
  const double alpha = model.alpha.value, c = model.concentration.value;
  const int sweeps = scaled(shorter(150000));
  std::vector<Count> by_size, by_layer;
  for (int m = 1; m <= 3; ++m) {
    const double beta = std::tgamma(m) * std::tgamma(3 - m + c) / std::tgamma(3 + c);
    by_size.emplace_back("columns of " + std::to_string(m),
                         poisson(alpha * c * (m == 3 ? 1 : 3) * beta), sweeps);
  }
  Law widths = poisson(alpha * harmonic_of(3, c));
  for (int m = 1; m <= 3; ++m) {
    by_layer.emplace_back("units of layer " + std::to_string(m), widths, sweeps);
    widths = next_width(widths, model.alpha_deep.value, c);
  }
  const CascadeData data(Eigen::MatrixXd(0, 3));
  CascadeChain chain(data, model, Rng(761));
  Limits limits(60);
  for (int t = -100; t < sweeps; ++t) {
    chain.sweep([] {});
    limits.check(chain.likelihood.hidden_units());
    if (t < 0) continue;
    std::vector<int> sizes(4, 0);
    for (int j = 0; j < chain.z.size(); ++j) ++sizes[chain.z.count(j)];
    for (int m = 1; m <= 3; ++m) {
      by_size[m - 1].add(sizes[m]);
      by_layer[m - 1].add(chain.likelihood.layers[m].units());
    }
  }
  for (const auto& count : by_size) count.check();
  for (const auto& count : by_layer) count.check();
}

/// Bias and log precision of one unit without parents: mean and mean square of each.
std::vector<double> exact_unit(const Eigen::VectorXd& x, const CascadeModel& model) {
  const NormalGamma& prior = model.biases;
  const double spread = 2 * prior.rate * (1 + 1 / prior.weight);
  std::vector<double> sums(5, 0);
  for (double bias = -12; bias < 12; bias += 0.02)
    for (double log_nu = -9; log_nu < 6; log_nu += 0.05) {
      const double nu = std::exp(log_nu), gap = bias - prior.center;
      double log_p = -(prior.shape + 0.5) * std::log1p(gap * gap / spread);
      log_p += model.noise_shape * log_nu -
               (model.noise_shape + model.noise_rate.shape) * std::log(nu + model.noise_rate.rate);
      for (int n = 0; n < x.size(); ++n)
        if (!std::isnan(x(n))) log_p += log_normal(x(n), bias, nu);
      const double p = std::exp(log_p);
      const double values[] = {1, bias, bias * bias, log_nu, log_nu * log_nu};
      for (int q = 0; q < 5; ++q) sums[q] += p * values[q];
    }
  for (int q = 1; q < 5; ++q) sums[q] /= sums[0];
  return sums;
}

/// All drawn values except for the edges.
std::set<double> unknowns(const NaiveCascade& cascade, const CascadeData& data) {
  std::set<double> all = {cascade.concentration};
  const auto add = [&](const auto& values) {
    for (int n = 0; n < values.size(); ++n)
      if (values(n) != 0) all.insert(values(n));
  };
  for (std::size_t m = 0; m < cascade.layers.size(); ++m) {
    const NaiveLayer& layer = cascade.layers[m];
    all.insert({layer.alpha, layer.noise_rate, layer.of_weights.mean, layer.of_weights.precision,
                layer.of_biases.mean, layer.of_biases.precision});
    add(layer.bias);
    add(layer.precision);
    add(layer.w);
    if (m > 0) add(layer.x);
  }
  for (const auto& [n, k] : data.missing) all.insert(cascade.layers[0].x(n, k));
  return all;
}

}  // namespace

TEST_CASE("without data, column sizes and layer widths of a cascade have their prior",
          "[cascade]") {
  check_without_data(known_structure(1.4, 0.5, 0.6));
  CascadeModel model = known_structure(1.1, 0.7, 1.8);
  model.visible_births = 1;
  check_without_data(model);
}

// Births in the visible layer also create ancestors: the law must be the same without births in
// hidden layers.
TEST_CASE("units in hidden layers have births", "[cascade]") {
  CascadeModel model = known_structure(2, 2, 1);
  model.visible_births = 0;
  Rng rng(769);
  const CascadeData data(Eigen::MatrixXd(0, 3));
  CascadeChain chain(data, model, rng);
  CascadeStart(chain.likelihood, {3}, 0.5, rng)();
  int deepest = 0;
  for (int t = 0; t < 50; ++t) {
    chain.sweep([] {});
    deepest = std::max(deepest, chain.likelihood.depth());
  }
  CHECK(deepest > 1);
}

TEST_CASE("units with almost no parents are independent", "[cascade]") {
  CascadeModel model = known_structure(1e-9, 1e-9, 1);
  model.biases = {-0.2, 2, 4, 2};
  model.noise_shape = 3;
  model.noise_rate = Hyper::gamma(5, 4);
  Eigen::MatrixXd x(5, 1);
  x << 1.3, 2.2, none, 0.4, 1.9;
  const auto exact = exact_unit(x, model);
  const CascadeData data(x);
  CascadeChain chain(data, model, Rng(762));
  const int sweeps = scaled(shorter(200000));
  std::vector<BatchMean> seen(5, BatchMean(sweeps, 200));
  int hidden = 0;
  for (int t = 0; t < sweeps; ++t) {
    chain.sweep([] {});
    const CascadeLayer& visible = chain.likelihood.layers[0];
    const double bias = visible.bias(0), log_nu = std::log(visible.precision(0));
    const double values[] = {visible.x(2, 0), bias, bias * bias, log_nu, log_nu * log_nu};
    for (int q = 0; q < 5; ++q) seen[q].add(values[q]);
    hidden += chain.likelihood.hidden_units();
  }
  CHECK(hidden == 0);
  for (int q = 0; q < 5; ++q) {
    const double truth = exact[std::max(1, q)];  // a missing entry has the mean of the bias
    INFO("quantity " << q << " is " << truth << ", sampled " << seen[q].value());
    CHECK(std::abs(seen[q].z(truth)) < 4.5);
  }
}

TEST_CASE("a network that the data do not support disappears", "[cascade]") {
  Rng rng(763);
  const CascadeData data(draw_normal(4, 3, 1, rng));
  CascadeChain chain(data, known_structure(1e-7, 1e-7, 1), Rng(764));
  CascadeStart(chain.likelihood, {4, 2}, 0.5, chain.rng)();
  REQUIRE(chain.likelihood.hidden_units() == 6);
  for (int t = 0; t < 200; ++t) chain.sweep([] {});
  CHECK(chain.likelihood.hidden_units() == 0);
}

TEST_CASE("limits are never exceeded", "[cascade]") {
  Rng rng(765);
  CascadeModel model = known_structure(4, 3, 1.5);
  model.max_layers = 3;
  model.max_units = 9;
  model.max_features = 4;
  const CascadeData data(draw_normal(5, 4, 2, rng));
  CascadeChain chain(data, model, Rng(766));
  std::vector<int> most(3, 0);
  for (int t = 0; t < 3000; ++t) {
    chain.sweep([] {});
    const Cascade& now = chain.likelihood;
    most[0] = std::max(most[0], now.depth());
    most[1] = std::max(most[1], now.hidden_units());
    most[2] = std::max(most[2], now.layers[1].units());
    demand_consistent(now);
  }
  CHECK((most == std::vector<int>{3, 9, 4}));
}

TEST_CASE("cascades run on the smallest data, and on data without observed entries", "[cascade]") {
  CascadeModel model;
  model.alpha = Hyper::gamma(3, 1);
  model.max_layers = 4;
  const std::vector<Eigen::MatrixXd> all = {
      Eigen::MatrixXd::Constant(1, 1, 0.3), Eigen::MatrixXd::Constant(1, 1, none),
      Eigen::MatrixXd::Constant(6, 1, 4.6), Eigen::MatrixXd::Constant(1, 5, -4.6),
      Eigen::MatrixXd::Constant(3, 2, none)};
  for (const auto& x : all) {
    const CascadeData data(x);
    CascadeChain chain(data, model, Rng(767));
    CascadeStart(chain.likelihood, {3, 2}, 0.4, chain.rng)();
    for (int t = 0; t < 500; ++t) {
      chain.sweep([] {});
      CHECK(std::isfinite(CascadeDensity(chain.likelihood).log_joint()));
    }
    demand_consistent(chain.likelihood);
  }
}

TEST_CASE("a sweep redraws everything in a cascade except for data and edges", "[cascade]") {
  Rng rng(768);
  for (int t = 0; t < 10; ++t) {
    const RandomCascade random(rng, 3, true);
    CascadeChain chain(*random.data, random.problem.model, Rng(769, t));
    assign(random.drawn, chain.likelihood);
    chain.sweep([] {});
    const std::set<double> before = unknowns(random.drawn, *random.data);
    CHECK(before.size() > 50);
    for (double value : unknowns(naive(chain.likelihood), *random.data))
      CHECK(before.count(value) == 0);
  }
}
