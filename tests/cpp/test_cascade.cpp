#include <boost/math/special_functions/digamma.hpp>
#include <map>
#include <set>
#include <vector>

#include "cascade/cascade_start.h"
#include "cascade_exact.h"

using buffet::CascadeDensity;
using buffet::CascadeStart;
using buffet::CascadeUnit;
using buffet::harmonic;
using buffet::squash;
using namespace test;

namespace {

/// Counts of the seven nonempty columns of three rows.
using Counts = std::vector<int>;

/// Calls f(counts) for all counts that add up to this number of columns.
template <class F>
void for_all_counts(int columns, F f) {
  Counts counts(7, 0);
  const auto fill = [&](auto self, int from, int left) -> void {
    if (from == 6) {
      counts[6] = left;
      return f(counts);
    }
    for (counts[from] = 0; counts[from] <= left; ++counts[from])
      self(self, from + 1, left - counts[from]);
    counts[from] = 0;
  };
  fill(fill, 0, columns);
}

Eigen::MatrixXi columns_of(const Counts& counts, int columns) {
  Eigen::MatrixXi z(3, columns);
  int j = 0;
  for (int h = 0; h < 7; ++h)
    for (int n = 0; n < counts[h]; ++n, ++j)
      for (int i = 0; i < 3; ++i) z(i, j) = (h + 1) >> i & 1;
  return z;
}

/// A cascade with one hidden layer and these edges.
Cascade with_edges(const CascadeData& data, const Eigen::MatrixXi& z, double alpha, double c) {
  Cascade cascade(data, CascadeModel());
  cascade.concentration = c;
  for (int j = 0; j < z.cols(); ++j) {
    cascade.add_unit(
        1, {0, 1, Eigen::VectorXd::Zero(data.x.rows()), Eigen::VectorXd::Zero(data.x.rows()), {}});
    for (int i = 0; i < z.rows(); ++i)
      if (z(i, j)) cascade.layers[0].set_edge(j, i, 1);
  }
  cascade.layers[0].alpha = alpha;
  return cascade;
}

/// Units, which are named by their biases, and their parents with weights.
struct Graph {
  struct Unit {
    int layer;
    double precision;
    std::map<int, double> parents;
  };
  std::map<int, Unit> units;

  std::vector<int> of_layer(int m) const {
    std::vector<int> names;
    for (const auto& [name, unit] : units)
      if (unit.layer == m) names.push_back(name);
    return names;
  }
  void drop(int name) {
    units.erase(name);
    for (auto& [other, unit] : units) unit.parents.erase(name);
    for (bool again = true; again;) {
      again = false;
      std::set<int> held;
      for (const auto& [other, unit] : units)
        for (const auto& [parent, weight] : unit.parents) held.insert(parent);
      for (auto at = units.begin(); at != units.end();) {
        const bool orphan = at->second.layer > 0 && held.count(at->first) == 0;
        again |= orphan;
        at = orphan ? units.erase(at) : std::next(at);
      }
    }
  }
};

Graph graph_of(const Cascade& cascade) {
  Graph graph;
  for (int m = 0; m <= cascade.model.max_layers; ++m) {
    const CascadeLayer& layer = cascade.layers[m];
    for (int k = 0; k < layer.units(); ++k) {
      Graph::Unit unit{m, layer.precision(k), {}};
      for (int j = 0; j < layer.parents(); ++j)
        if (layer.has(j, k))
          unit.parents[std::lround(cascade.layers[m + 1].bias(j))] = layer.weights(j, k);
      graph.units[std::lround(layer.bias(k))] = unit;
      if (m > 0) CHECK(layer.x(0, k) == 1e-3 * layer.bias(k));
    }
  }
  return graph;
}

void check_same(const Graph& a, const Graph& b) {
  REQUIRE(a.units.size() == b.units.size());
  for (const auto& [name, unit] : a.units) {
    REQUIRE(b.units.count(name) == 1);
    const Graph::Unit& other = b.units.at(name);
    CHECK(unit.layer == other.layer);
    CHECK(unit.precision == other.precision);
    CHECK((unit.parents == other.parents));
  }
}

int number_of(const Cascade& cascade, int m, int name) {
  for (int k = 0; k < cascade.layers[m].units(); ++k)
    if (std::lround(cascade.layers[m].bias(k)) == name) return k;
  throw std::logic_error("no such unit");
}

/// Adds a unit with random parents and one child.
void add(Cascade& cascade, Graph& graph, int m, Rng& rng) {
  static int names = 100;
  const std::vector<int> below = graph.of_layer(m - 1);
  if (below.empty()) return;
  const int name = ++names, child = below[rng.below(static_cast<int>(below.size()))];
  CascadeUnit unit{double(name), rng.uniform(), Eigen::VectorXd::Constant(2, 1e-3 * name), {}, {}};
  unit.u = squash(unit.x);
  graph.units[name] = {m, unit.precision, {}};
  for (int parent : graph.of_layer(m + 1))
    if (rng.bernoulli(0.2)) {
      unit.parents.emplace_back(number_of(cascade, m + 1, parent), rng.normal());
      graph.units[name].parents[parent] = unit.parents.back().second;
    }
  cascade.add_unit(m, unit);
  const double weight = rng.normal();
  cascade.layers[m - 1].set_edge(number_of(cascade, m, name), number_of(cascade, m - 1, child),
                                 weight);
  graph.units[child].parents[name] = weight;
}

}  // namespace

TEST_CASE("activations and harmonic numbers agree with their definitions", "[cascade]") {
  for (double x : {-800.0, -40.0, -3.0, -1e-3, 0.0, 1e-3, 0.7, 5.0, 40.0, 800.0}) {
    CHECK(squash(x) == Approx(std::tanh(x / 2)).epsilon(1e-12));
    CHECK(squash(Eigen::MatrixXd::Constant(3, 2, x)).isApproxToConstant(std::tanh(x / 2), 1e-12));
  }
  for (double c : {0.3, 1.0, 4.0}) {
    CHECK(harmonic(0, c) == 0);
    for (int k : {1, 2, 5, 300}) {
      const double exact = c * (boost::math::digamma(c + k) - boost::math::digamma(c));
      CHECK(harmonic(k, c) == Approx(exact).epsilon(1e-12));
    }
  }
}

TEST_CASE("edges of three units have probabilities that sum to one, with Poisson numbers",
          "[cascade]") {
  const CascadeData data(Eigen::MatrixXd::Zero(1, 3));
  const double alpha = 0.6;
  for (double c : {0.7, 1.0, 2.2}) {
    const double rate = alpha * (1 + c / (c + 1) + c / (c + 2));
    for (int columns = 0; columns <= 6; ++columns) {
      double sum = 0;
      for_all_counts(columns, [&](const Counts& counts) {
        const Eigen::MatrixXi z = columns_of(counts, columns);
        const double log_p = CascadeDensity(with_edges(data, z, alpha, c)).log_structure(0);
        double orders = 1;
        for (int n : counts) orders *= std::tgamma(n + 1.0);
        sum += std::exp(log_p) / orders;
      });
      const double poisson = std::exp(columns * std::log(rate) - rate - std::lgamma(columns + 1.0));
      CHECK(sum == Approx(poisson).epsilon(1e-10));
    }
  }
}

TEST_CASE("log densities of a cascade are the sums of their factors", "[cascade]") {
  Rng rng(711);
  for (int t = 0; t < 100; ++t) {
    const RandomCascade random(rng, t % 4, t % 2 == 1);
    const Cascade& cascade = *random.cascade;
    const CascadeDensity density(cascade);
    CHECK(density.log_lik() == Approx(log_values(random.drawn, 0, &*random.data) + 0.37));
    CHECK(density.log_joint() ==
          Approx(log_joint(random.drawn, random.problem.model, *random.data)));
    const auto values = density.scalars();
    const auto names = CascadeDensity::names(cascade.model);
    REQUIRE(values.size() == names.size());
    const int most = cascade.model.max_layers;
    CHECK(values[0] == random.drawn.layers[1].units());
    CHECK(values[1] == random.drawn.depth());
    for (int m = 0; m < most; ++m) {
      CHECK(values[2 + m] == random.drawn.layers[m + 1].units());
      CHECK(values[2 + most + m] == random.drawn.layers[m].z.sum());
      CHECK(values[2 + 2 * most + m] == random.drawn.layers[m].alpha);
    }
    CHECK(values[values.size() - 3] == random.drawn.concentration);
    CHECK(values[values.size() - 2] == density.log_lik());
    CHECK(values.back() == density.log_joint());
  }
}

TEST_CASE("the log joint of a cascade with many known parameters omits their priors", "[cascade]") {
  Rng rng(712);
  RandomCascade random(rng, 2);
  CascadeModel& model = random.problem.model;
  model.alpha = model.alpha_deep = model.concentration = model.noise_rate = Hyper::fixed(1.3);
  random.set();
  CHECK(CascadeDensity(*random.cascade).log_joint() ==
        Approx(log_joint(random.drawn, model, *random.data)));
}

TEST_CASE("a cascade starts with known parameters", "[cascade]") {
  CascadeModel model;
  model.alpha = Hyper::fixed(3.5);
  model.alpha_deep = Hyper::fixed(0.4);
  model.concentration = Hyper::fixed(1.7);
  model.noise_rate = Hyper::fixed(0.6);
  const CascadeData data(Eigen::MatrixXd::Zero(2, 3));
  const Cascade cascade(data, model);
  demand_consistent(cascade);
  CHECK(cascade.concentration == 1.7);
  CHECK(cascade.depth() == 0);
  for (std::size_t m = 0; m < cascade.layers.size(); ++m) {
    CHECK(cascade.layers[m].alpha == (m == 0 ? 3.5 : 0.4));
    CHECK(cascade.layers[m].noise_rate == 0.6);
  }
}

TEST_CASE("units are added, and are dropped together with ancestors that no other unit has",
          "[cascade]") {
  Rng rng(713);
  CascadeModel model;
  model.max_layers = 5;
  const CascadeData data(Eigen::MatrixXd::Zero(2, 3));
  Cascade cascade(data, model);
  Graph graph;
  for (int k = 0; k < 3; ++k) {
    cascade.layers[0].bias(k) = k;
    graph.units[k] = {0, 1, {}};
  }
  int most = 0, orphans = 0;
  for (int t = 0; t < 1000; ++t) {
    const int m = 1 + rng.below(5);
    const std::vector<int> there = graph.of_layer(m);
    const int number = cascade.hidden_units();
    if (there.empty() || rng.bernoulli(number < 12 ? 0.8 : 0.3)) {
      add(cascade, graph, m, rng);
    } else {
      const int name = there[rng.below(static_cast<int>(there.size()))];
      cascade.drop_unit(m, number_of(cascade, m, name));
      graph.drop(name);
      orphans += cascade.hidden_units() < number - 1;
    }
    most = std::max(most, cascade.depth());
    demand_consistent(cascade);
    check_same(graph_of(cascade), graph);
    CHECK(cascade.hidden_units() + 3 == static_cast<int>(graph.units.size()));
  }
  CHECK(most == 5);
  CHECK(orphans > 50);
}

TEST_CASE("an initial network has no unit without a parent or a child", "[cascade]") {
  Rng rng(714);
  Eigen::MatrixXd x = with_missing(draw_normal(9, 6, 2, rng), 0.2, rng);
  x.col(1).setConstant(4.6);
  x.col(2).setConstant(std::nan(""));
  const CascadeData data(x);
  for (double density : {0.0, 0.4, 1.0}) {
    Cascade cascade(data, CascadeModel());
    CascadeStart(cascade, {5, 3}, density, rng)();
    const NaiveCascade started = naive(cascade);
    CHECK(started.depth() == 2);
    CHECK((started.layers[1].units() == 5 && started.layers[2].units() == 3));
    for (int m : {0, 1})
      for (int k = 0; k < started.layers[m].units(); ++k) {
        const int held = started.layers[m].z.row(k).sum();
        CHECK(held >= 1);
        if (density == 1) CHECK(held == started.layers[m].parents());
      }
    for (int k = 0; k < 6; ++k) {
      double sum = 0, count = 0;
      for (int n = 0; n < 9; ++n)
        if (!std::isnan(x(n, k))) {
          sum += x(n, k);
          ++count;
        }
      CHECK(started.layers[0].bias(k) == Approx(count > 0 ? sum / count : 0));
      CHECK(std::isfinite(started.layers[0].precision(k)));
      CHECK(started.layers[0].precision(k) > 0);
    }
    CHECK(std::isfinite(CascadeDensity(cascade).log_joint()));
  }
}
