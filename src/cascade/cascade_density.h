#pragma once

#include <string>
#include <vector>

#include "cascade.h"

namespace buffet {

/// Log densities of a cascade, and what a trace records of it.
class CascadeDensity {
 public:
  explicit CascadeDensity(const Cascade& cascade) : cascade_(cascade) {}

  /// Of the observed data, on their own scale, given the activations of layer 1.
  double log_lik() const {
    const CascadeLayer& visible = cascade_.layers[0];
    Eigen::MatrixXd left = visible.x - cascade_.means(0);
    Eigen::VectorXd observed =
        Eigen::VectorXd::Constant(visible.units(), static_cast<double>(cascade_.rows()));
    for (const auto& [n, k] : cascade_.data->missing) {
      left(n, k) = 0;
      --observed(k);
    }
    return cascade_.data->log_slopes + log_normal(left, visible.precision, observed);
  }

  /// Of the data, the structure, as sets of units, and all that belongs to layers that have one.
  double log_joint() const {
    double sum = log_lik() + cascade_.model.concentration.log_prior_at(cascade_.concentration);
    const int depth = cascade_.depth();
    for (int m = 0; m <= depth; ++m) sum += log_structure(m) + log_parameters(m);
    for (int m = 1; m <= depth; ++m) {
      const CascadeLayer& layer = cascade_.layers[m];
      const auto rows =
          Eigen::VectorXd::Constant(layer.units(), static_cast<double>(cascade_.rows()));
      sum += log_normal(layer.x - cascade_.means(m), layer.precision, rows);
    }
    return sum;
  }

  /// Edges of a layer to its parents, as a set of columns.
  double log_structure(int m) const {
    const CascadeLayer& layer = cascade_.layers[m];
    const double c = cascade_.concentration;
    return layer.parents() * std::log(layer.alpha) + layer.log_edges(c) + sum_log_gamma(layer);
  }

  std::vector<double> scalars() const {
    const int most = cascade_.model.max_layers;
    std::vector<double> values = {double(cascade_.layers[1].units()), double(cascade_.depth())};
    for (int m = 1; m <= most; ++m) values.push_back(cascade_.layers[m].units());
    for (int m = 0; m < most; ++m) values.push_back(cascade_.layers[m].count_edges());
    for (int m = 0; m <= most; ++m) values.push_back(cascade_.layers[m].alpha);
    values.insert(values.end(), {cascade_.concentration, log_lik(), log_joint()});
    return values;
  }
  static std::vector<std::string> names(const CascadeModel& model) {
    std::vector<std::string> names = {"n_features", "n_layers"};
    const auto number = [&](const char* name, int from, int to) {
      for (int m = from; m <= to; ++m) names.push_back(name + std::to_string(m));
    };
    number("width_", 1, model.max_layers);
    number("n_edges_", 1, model.max_layers);
    number("alpha_", 0, model.max_layers);
    names.insert(names.end(), {"concentration", "log_lik", "log_joint"});
    return names;
  }

 private:
  static double log_normal(const Eigen::MatrixXd& left, const Eigen::VectorXd& precision,
                           const Eigen::VectorXd& counts) {
    const Eigen::VectorXd squares = left.colwise().squaredNorm();
    return 0.5 * (counts.array() * (precision.array() / (2 * M_PI)).log() -
                  precision.array() * squares.array())
                     .sum();
  }

  static double sum_log_gamma(const CascadeLayer& layer) {
    double sum = 0;
    for (int m : layer.children) sum += log_gamma(m);
    return sum;
  }

  /// Weights, biases and precisions, with what they depend on, and alpha. Parameters that nothing
  /// refers to are left out.
  double log_parameters(int m) const {
    const CascadeLayer& layer = cascade_.layers[m];
    const CascadeModel& model = cascade_.model;
    double sum = model.alpha_of(m).log_prior_at(layer.alpha);
    if (layer.parents() > 0)
      sum += model.weights.log_density(layer.of_weights) +
             layer.of_weights.log_density(layer.count_edges(), layer.weights.sum(),
                                          layer.weights.squaredNorm());
    sum += model.biases.log_density(layer.of_biases) +
           layer.of_biases.log_density(layer.units(), layer.bias.sum(), layer.bias.squaredNorm());
    sum += model.noise_rate.log_prior_at(layer.noise_rate);
    const double shape = model.noise_shape;
    return sum + layer.units() * (shape * std::log(layer.noise_rate) - log_gamma(shape)) +
           (shape - 1) * layer.precision.array().log().sum() -
           layer.noise_rate * layer.precision.sum();
  }

  const Cascade& cascade_;
};

}  // namespace buffet
