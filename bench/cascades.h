#pragma once

#include <vector>

#include "cascade/cascade_chain.h"
#include "cascade/cascade_start.h"
#include "core/normal_vector.h"
#include "measure.h"

namespace bench {

/// A network with one or two hidden layers, and data from it.
struct CascadeSpec {
  int rows = 350;
  std::vector<int> widths = {1024, 80, 20};  ///< from the visible layer up
  double density = 0.3;
  double weight_sd = 0.3, deep_weight_sd = 1;  ///< from layer 1 to the visible layer; between other
                                               ///< layers
  double noise_precision = 8, hidden_precision = 1;
};

/// Layers from the visible one up, each with its x. Biases are 0, all edges have the same
/// probability, and weights are normal.
inline std::vector<buffet::CascadeLayer> network(const CascadeSpec& spec, buffet::Rng& rng) {
  const int top = static_cast<int>(spec.widths.size()) - 1;
  std::vector<buffet::CascadeLayer> layers(top + 1);
  for (int m = top; m >= 0; --m) {
    buffet::CascadeLayer& layer = layers[m];
    const int units = spec.widths[m], parents = m < top ? spec.widths[m + 1] : 0;
    const double weight_sd = m == 0 ? spec.weight_sd : spec.deep_weight_sd;
    layer.bias = Eigen::VectorXd::Zero(units);
    layer.precision =
        Eigen::VectorXd::Constant(units, m == 0 ? spec.noise_precision : spec.hidden_precision);
    layer.edges = buffet::CascadeLayer::Edges::Zero(parents, units);
    layer.weights = Eigen::MatrixXd::Zero(parents, units);
    layer.children.assign(parents, 0);
    for (int k = 0; k < units; ++k)
      for (int j = 0; j < parents; ++j)
        if (rng.bernoulli(spec.density)) layer.set_edge(j, k, weight_sd * rng.normal());
    layer.x.resize(spec.rows, units);
    layer.x = layer.means(m < top ? layers[m + 1].u : Eigen::MatrixXd());
    buffet::add_normal(layer.x, 1 / std::sqrt(layer.precision(0)), rng);
    if (m > 0) layer.u = buffet::squash(layer.x);
  }
  return layers;
}

/// Generated data and a chain, which may start from the true network.
struct CascadeTrial {
  std::vector<buffet::CascadeLayer> truth;
  buffet::CascadeData data;
  buffet::CascadeChain chain;

  CascadeTrial(const CascadeSpec& spec, const buffet::CascadeModel& model, buffet::Rng rng)
      : truth(network(spec, rng)), data(truth[0].x), chain(data, model, rng) {}
  CascadeTrial(const CascadeTrial&) = delete;

  void start_at_truth() { buffet::start_from(truth, chain.likelihood, chain.rng); }
  void start(const std::vector<int>& widths, double density) {
    buffet::CascadeStart(chain.likelihood, widths, density, chain.rng)();
  }
  /// The data without noise.
  Eigen::MatrixXd signal() const { return truth[0].means(truth[1].u); }
};

/// Births and deaths of singleton parents of visible units.
struct BirthCount {
  int visits = 0, births = 0, deaths = 0;
};

/// Seconds for each move of a sweep.
struct SweepParts {
  double births = 0, parents = 0, activations = 0, parameters = 0;
  double total() const { return births + parents + activations + parameters; }
};

/// CascadeBirths::visit_layer(0), with counts.
inline void visit_visible(buffet::CascadeChain& chain, BirthCount& count) {
  buffet::Cascade& cascade = chain.likelihood;
  buffet::CascadeBirths births(cascade, chain.rng);
  std::vector<int> order;
  chain.rng.permutation(cascade.layers[0].units(), order);
  if (cascade.model.visible_births < static_cast<int>(order.size()))
    order.resize(cascade.model.visible_births);
  for (int k : order) {
    const int before = cascade.layers[1].units();
    births.visit(0, k);
    const int change = cascade.layers[1].units() - before;
    ++count.visits;
    count.births += change > 0;
    count.deaths += change < 0;
  }
}

/// A sweep of complete data, one move at a time.
inline SweepParts sweep_in_parts(buffet::CascadeChain& chain, BirthCount& count) {
  const auto never = [] {};
  buffet::Cascade& cascade = chain.likelihood;
  buffet::CascadeBirths births(cascade, chain.rng);
  SweepParts parts;
  for (int m = 0; m <= cascade.depth(); ++m) {
    parts.births += seconds_of([&] {
      if (m == 0)
        visit_visible(chain, count);
      else
        births.visit_layer(m, never);
    });
    parts.parents +=
        seconds_of([&] { buffet::CascadeParents(cascade, m, chain.rng).visit_all(never); });
    if (m == cascade.depth()) break;
    parts.activations += seconds_of([&] {
      const buffet::ChildrenTerms children(cascade.layers[m]);
      buffet::CascadeActivations(cascade, chain.rng).visit_layer(m + 1, children, never);
    });
  }
  parts.parameters += seconds_of([&] { buffet::CascadeParameters(cascade, chain.rng).update(); });
  return parts;
}

}  // namespace bench
