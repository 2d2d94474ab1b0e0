#pragma once

// A second implementation of cascades: layers as dense matrices, densities from their definitions.

#include <Eigen/Dense>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "cascade/cascade.h"

namespace test {

using buffet::ActivationSampler;
using buffet::Cascade;
using buffet::CascadeData;
using buffet::CascadeLayer;
using buffet::CascadeModel;
using buffet::Hyper;
using buffet::NormalGamma;
using buffet::NormalLaw;
using buffet::Rng;

/// A layer: units in columns; z and w are units x parents.
struct NaiveLayer {
  Eigen::MatrixXd x;
  Eigen::VectorXd bias, precision;
  Eigen::MatrixXi z;
  Eigen::MatrixXd w;
  double alpha = 1, noise_rate = 1;
  NormalLaw of_weights, of_biases;

  int units() const { return static_cast<int>(bias.size()); }
  int parents() const { return static_cast<int>(z.cols()); }
};

/// All possible layers, the visible one first; layers without units also have parameters.
struct NaiveCascade {
  double concentration = 1;
  std::vector<NaiveLayer> layers;

  int rows() const { return static_cast<int>(layers[0].x.rows()); }
  int depth() const {
    int m = 0;
    while (m + 1 < static_cast<int>(layers.size()) && layers[m + 1].units() > 0) ++m;
    return m;
  }
  int hidden_units() const {
    int n = 0;
    for (const NaiveLayer& layer : layers) n += layer.units();
    return n - layers[0].units();
  }
  double activation(int m, int n, int k) const { return std::tanh(layers[m].x(n, k) / 2); }
  /// Mean of x given bias and parents.
  double mean(int m, int n, int k) const {
    double y = layers[m].bias(k);
    for (int j = 0; j < layers[m].parents(); ++j)
      if (layers[m].z(k, j)) y += layers[m].w(k, j) * activation(m + 1, n, j);
    return y;
  }
};

inline NaiveLayer naive(const CascadeLayer& from, int parents) {
  NaiveLayer to;
  to.x = from.x;
  to.bias = from.bias;
  to.precision = from.precision;
  to.z.resize(from.units(), parents);
  to.w.resize(from.units(), parents);
  for (int k = 0; k < from.units(); ++k)
    for (int j = 0; j < parents; ++j) {
      to.z(k, j) = from.has(j, k);
      to.w(k, j) = from.weights(j, k);
    }
  to.alpha = from.alpha;
  to.noise_rate = from.noise_rate;
  to.of_weights = from.of_weights;
  to.of_biases = from.of_biases;
  return to;
}

inline void demand(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("not so: ") + what);
}

/// Requires that duplicated values agree and that every unit has a child.
inline void demand_consistent(const Cascade& cascade) {
  const auto& layers = cascade.layers;
  for (std::size_t m = 0; m < layers.size(); ++m) {
    const CascadeLayer& layer = layers[m];
    const int above = m + 1 < layers.size() ? layers[m + 1].units() : 0;
    demand(layer.parents() == above, "parents are the units above");
    demand(layer.x.cols() == layer.units(), "x of every unit");
    demand(layer.precision.size() == layer.units(), "a precision of every unit");
    demand(layer.edges.rows() == above && layer.edges.cols() == layer.units(), "all edges");
    demand(layer.weights.rows() == above && layer.weights.cols() == layer.units(), "all weights");
    for (int n = 0; m > 0 && n < layer.x.size(); ++n)
      demand(std::abs(layer.u(n) - std::tanh(layer.x(n) / 2)) < 1e-14, "u of x");
    for (int j = 0; j < above; ++j) {
      int count = 0;
      for (int k = 0; k < layer.units(); ++k) {
        count += layer.has(j, k);
        demand(layer.has(j, k) || layer.weights(j, k) == 0, "weights of edges only");
      }
      demand(count == layer.children[j] && count > 0, "children as counted, at least one");
    }
  }
}

inline NaiveCascade naive(const Cascade& cascade) {
  demand_consistent(cascade);
  NaiveCascade to;
  to.concentration = cascade.concentration;
  for (const CascadeLayer& layer : cascade.layers)
    to.layers.push_back(naive(layer, layer.parents()));
  return to;
}

/// Sets a cascade on the same data to this state; missing entries are taken from the naive cascade.
inline void assign(const NaiveCascade& from, Cascade& to) {
  to.concentration = from.concentration;
  for (std::size_t m = 0; m < from.layers.size(); ++m) {
    const NaiveLayer& naive = from.layers[m];
    CascadeLayer& layer = to.layers[m];
    layer.x = naive.x;
    if (m > 0) layer.u = (0.5 * naive.x.array()).tanh().matrix();
    layer.bias = naive.bias;
    layer.precision = naive.precision;
    layer.edges = naive.z.transpose().cast<unsigned char>();
    layer.weights = naive.w.transpose();
    layer.children.assign(naive.parents(), 0);
    for (int j = 0; j < naive.parents(); ++j) layer.children[j] = naive.z.col(j).sum();
    layer.alpha = naive.alpha;
    layer.noise_rate = naive.noise_rate;
    layer.of_weights = naive.of_weights;
    layer.of_biases = naive.of_biases;
  }
}

}  // namespace test
