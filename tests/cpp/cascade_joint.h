#pragma once

// Draws of all variables of a cascade, and chains that can be set to any draw.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cascade/cascade_chain.h"
#include "cascade_case.h"
#include "draws.h"
#include "joint_checks.h"
#include "simulation.h"

namespace test {

using buffet::CascadeChain;

/// Distinct hyperparameters, none of them 1, and few units.
inline CascadeModel small_cascade(ActivationSampler sampler = ActivationSampler::slice) {
  CascadeModel model;
  model.alpha = model.alpha_deep = Hyper::gamma(8, 16);
  model.concentration = Hyper::fixed(0.7);
  model.weights = {0.3, 1.5, 4, 3};
  model.biases = {-0.2, 2, 4, 2};
  model.noise_shape = 3;
  model.noise_rate = Hyper::gamma(5, 4);
  model.max_layers = 8;
  model.sampler = sampler;
  return model;
}

struct CascadeJoint {
  Features z;  ///< edges of the visible layer, used by checks that all models share
  NaiveCascade cascade;
};

struct CascadeProblem {
  CascadeModel model;
  std::string title = "small";
  int rows = 3, columns = 3;
  bool hides = false;  ///< a third of the entries, and the whole second row

  std::string name() const {
    const char* samplers[] = {"slice", "multiple try", "elliptical"};
    return title + ", " + samplers[static_cast<int>(model.sampler)] + ", " + std::to_string(rows) +
           " x " + std::to_string(columns) + (hides ? ", entries missing" : "");
  }
  bool is_hidden(int n, int k) const { return hides && is_among_hidden(n, k); }

  /// Draws the structure from the visible layer up to the first layer without units.
  CascadeJoint draw(Rng& rng) const {
    for (;;) {
      NaiveCascade drawn;
      drawn.concentration = value_of(model.concentration, rng);
      drawn.layers.resize(model.max_layers + 1);
      Features visible(columns);
      if (draw_structure(drawn, visible, rng)) {
        for (int m = model.max_layers; m >= 0; --m) draw_values(drawn, m, rng);
        if (is_noisy(drawn)) return {visible, drawn};
      }
    }
  }

 private:
  static double value_of(const Hyper& h, Rng& rng) {
    return h.learned ? rng.gamma(h.shape, h.rate) : h.value;
  }
  static NormalLaw draw_law(const NormalGamma& prior, Rng& rng) {
    const double precision = rng.gamma(prior.shape, prior.rate);
    return {prior.center + rng.normal() / std::sqrt(prior.weight * precision), precision};
  }

  /// Returns true if the structure is within the limits.
  bool draw_structure(NaiveCascade& drawn, Features& visible, Rng& rng) const {
    int units = columns, hidden = 0;
    for (int m = 0; m <= model.max_layers; ++m) {
      NaiveLayer& layer = drawn.layers[m];
      layer.alpha = value_of(m == 0 ? model.alpha : model.alpha_deep, rng);
      layer.bias.resize(units);
      const Features edges = draw_buffet(units, {layer.alpha, drawn.concentration, 0, 0}, rng);
      if (m == 0) visible = edges;
      layer.z.resize(units, edges.size());
      for (int k = 0; k < units; ++k)
        for (int j = 0; j < edges.size(); ++j) layer.z(k, j) = edges.at(k, j);
      units = edges.size();
      hidden += units;
      if (hidden > model.max_units || (m == 0 && units > model.max_features)) return false;
    }
    return units == 0;
  }

  bool is_noisy(const NaiveCascade& drawn) const {
    for (const NaiveLayer& layer : drawn.layers)
      for (Eigen::Index k = 0; k < layer.precision.size(); ++k)
        if (layer.precision(k) > model.max_precision) return false;
    return true;
  }

  void draw_values(NaiveCascade& drawn, int m, Rng& rng) const {
    NaiveLayer& layer = drawn.layers[m];
    layer.of_weights = draw_law(model.weights, rng);
    layer.of_biases = draw_law(model.biases, rng);
    layer.noise_rate = value_of(model.noise_rate, rng);
    const auto draw = [&](const NormalLaw& law) {
      return law.mean + rng.normal() / std::sqrt(law.precision);
    };
    layer.precision.resize(layer.units());
    layer.w = Eigen::MatrixXd::Zero(layer.units(), layer.parents());
    layer.x.resize(rows, layer.units());
    for (int k = 0; k < layer.units(); ++k) {
      layer.bias(k) = draw(layer.of_biases);
      layer.precision(k) = rng.gamma(model.noise_shape, layer.noise_rate);
      for (int j = 0; j < layer.parents(); ++j)
        if (layer.z(k, j)) layer.w(k, j) = draw(layer.of_weights);
      for (int n = 0; n < rows; ++n)
        layer.x(n, k) = drawn.mean(m, n, k) + rng.normal() / std::sqrt(layer.precision(k));
    }
  }
};

struct CascadeSimulated {
  using Problem = CascadeProblem;
  using Data = CascadeData;
  using Chain = CascadeChain;
  static constexpr bool rebuilds = true;

  static Data data(const CascadeProblem& problem, const CascadeJoint& state) {
    return CascadeData(shown(problem, state.cascade.layers[0].x));
  }
  static CascadeChain chain(const CascadeProblem& problem, const Data& data, const CascadeJoint&,
                            Rng rng) {
    return {data, problem.model, rng};
  }
  static void set(const CascadeProblem&, const CascadeJoint& joint, CascadeChain& chain) {
    assign(joint.cascade, chain.likelihood);
  }
  static void sweep(const CascadeProblem&, CascadeChain& chain) {
    chain.sweep([] {});
  }
  static int features(const CascadeChain& chain) { return chain.likelihood.hidden_units(); }
  static CascadeJoint state(const CascadeProblem&, const CascadeJoint&, const CascadeChain& chain,
                            Rng&) {
    return {chain.z, naive(chain.likelihood)};
  }
};

using CascadeSimulation = Simulation<CascadeSimulated>;

/// Name of a statistic of a layer.
inline const char* label(const char* what, int m) {
  static std::map<std::pair<std::string, int>, std::string> all;
  std::string& name = all[{what, m}];
  if (name.empty()) name = std::string(what) + " of layer " + std::to_string(m);
  return name.c_str();
}

inline void add_parameters(const NaiveLayer& layer, int m, std::vector<Statistic>& to) {
  const auto add = [&](const char* what, double value) { to.push_back({label(what, m), value}); };
  int single = 0;
  for (int j = 0; j < layer.parents(); ++j) single += layer.z.col(j).sum() == 1;
  add("parents", layer.parents());
  add("edges", layer.z.sum());
  add("singletons", single);
  add("alpha", layer.alpha);
  add("log alpha", std::log(layer.alpha));
  add("weights", layer.w.sum());
  add("log squared weights", std::log1p(layer.w.squaredNorm()));
  add("biases", layer.bias.sum());
  add("log precisions", layer.precision.array().log().sum());
  add("log rate of noise", std::log(layer.noise_rate));
  add("mean of weights", layer.of_weights.mean);
  add("log precision of weights", std::log(layer.of_weights.precision));
  add("mean of biases", layer.of_biases.mean);
  add("log precision of biases", std::log(layer.of_biases.precision));
}

/// Statistics with heavy tails are transformed.
inline void add_values(const NaiveCascade& cascade, int m, std::vector<Statistic>& to) {
  const NaiveLayer& layer = cascade.layers[m];
  double x = 0, xu = 0, squares = 0, wux = 0, noise = 0;
  for (int k = 0; k < layer.units(); ++k)
    for (int n = 0; n < cascade.rows(); ++n) {
      const double at = layer.x(n, k), u = cascade.activation(m, n, k);
      const double y = cascade.mean(m, n, k);
      x += at;
      xu += at * u;
      squares += u * u;
      wux += (y - layer.bias(k)) * at;
      noise += layer.precision(k) * (at - y) * (at - y);
    }
  to.push_back({label("x", m), std::tanh(0.3 * x)});
  to.push_back({label("x u", m), std::log1p(xu)});
  to.push_back({label("squared u", m), squares});
  to.push_back({label("w u x", m), std::tanh(0.2 * wux)});
  to.push_back({label("noise", m), noise});
}

inline std::vector<Statistic> statistics(const CascadeJoint& s, const CascadeProblem& problem) {
  const NaiveCascade& cascade = s.cascade;
  std::vector<Statistic> all = {{"hidden units", double(cascade.hidden_units())},
                                {"depth", double(cascade.depth())},
                                {"log concentration", std::log(cascade.concentration)},
                                {"log last alpha", std::log(cascade.layers.back().alpha)}};
  const int layers = static_cast<int>(cascade.layers.size());
  for (int m = 0; m < std::min(3, layers); ++m) {
    add_parameters(cascade.layers[m], m, all);
    add_values(cascade, m, all);
  }
  if (!problem.hides) return all;
  double x = 0, noise = 0, with_bias = 0;
  const NaiveLayer& visible = cascade.layers[0];
  for (int n = 0; n < problem.rows; ++n)
    for (int k = 0; k < problem.columns; ++k)
      if (problem.is_hidden(n, k)) {
        const double gap = visible.x(n, k) - cascade.mean(0, n, k);
        x += visible.x(n, k);
        noise += visible.precision(k) * gap * gap;
        with_bias += visible.bias(k) * visible.x(n, k);
      }
  all.push_back({"hidden x", std::tanh(0.3 * x)});
  all.push_back({"hidden noise", noise});
  all.push_back({"hidden x and bias", std::tanh(0.3 * with_bias)});
  return all;
}

}  // namespace test
