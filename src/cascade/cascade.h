#pragma once

#include <Eigen/Dense>
#include <limits>
#include <utility>
#include <vector>

#include "cascade_layer.h"
#include "core/hyper.h"

namespace buffet {

/// How activations are drawn given all else.
enum class ActivationSampler { slice, multiple_try, elliptical };

/// The prior of a cascade (Adams, Wallach & Ghahramani 2010), and how it is sampled. Layer 0 is the
/// visible one.
struct CascadeModel {
  Hyper alpha, alpha_deep, concentration;  ///< edges of layer 0, of each deeper one; of all
  NormalGamma weights, biases;             ///< of each layer
  double noise_shape = 2;                  ///< precisions ~ Gamma(noise_shape, rate of the layer)
  Hyper noise_rate = Hyper::gamma(1, 0.1);
  double max_precision = 1e6;  ///< none is larger: constant columns have no proper posterior else
  int max_layers = 50, max_units = 2000;               ///< hidden ones; none has more
  int max_features = std::numeric_limits<int>::max();  ///< units of layer 1
  ActivationSampler sampler = ActivationSampler::slice;
  int visible_births = 20;  ///< visible units whose own parents are visited in a sweep

  const Hyper& alpha_of(int m) const { return m == 0 ? alpha : alpha_deep; }
};

/// Data as pre-activations, N x D, NaN where missing.
struct CascadeData {
  Eigen::MatrixXd x;
  std::vector<std::pair<int, int>> missing;
  double log_slopes = 0;  ///< sum of log |dx / dv| of the observed data v

  explicit CascadeData(Eigen::MatrixXd x_, double log_slopes_ = 0)
      : x(std::move(x_)), log_slopes(log_slopes_) {
    for (int k = 0; k < x.cols(); ++k)
      for (int n = 0; n < x.rows(); ++n)
        if (std::isnan(x(n, k))) missing.emplace_back(n, k);
  }
};

/// The state of a chain. All layers that there may be exist, those without a unit too: they have
/// the hyperparameters that they would have.
struct Cascade {
  static constexpr bool keeps_loadings = false;
  static constexpr bool keeps_bytes = true;

  const CascadeData* data;
  CascadeModel model;
  double concentration;
  std::vector<CascadeLayer> layers;  ///< max_layers hidden ones and the visible one

  Cascade(const CascadeData& data_, const CascadeModel& model_)
      : data(&data_),
        model(model_),
        concentration(model_.concentration.value),
        layers(model_.max_layers + 1) {
    for (CascadeLayer& layer : layers) {
      layer.x.resize(data->x.rows(), 0);
      layer.u.resize(data->x.rows(), 0);
    }
    CascadeLayer& visible = layers[0];
    const auto units = data->x.cols();
    visible.x = data->x;
    for (const auto& [n, k] : data->missing) visible.x(n, k) = 0;
    visible.u.resize(0, units);
    visible.bias = Eigen::VectorXd::Zero(units);
    visible.precision = Eigen::VectorXd::Ones(units);
    visible.edges.resize(0, units);
    visible.weights.resize(0, units);
    for (int m = 0; m <= model.max_layers; ++m) {
      layers[m].alpha = model.alpha_of(m).value;
      layers[m].noise_rate = model.noise_rate.value;
    }
  }

  int rows() const { return static_cast<int>(data->x.rows()); }
  /// Hidden layers, and their units.
  int depth() const {
    int m = 0;
    while (m < model.max_layers && layers[m + 1].units() > 0) ++m;
    return m;
  }
  int hidden_units() const {
    int n = 0;
    for (std::size_t m = 1; m < layers.size(); ++m) n += layers[m].units();
    return n;
  }

  /// What the parents of layer m say of it.
  Eigen::MatrixXd means(int m) const {
    if (layers[m].parents() == 0) return layers[m].means({});
    return layers[m].means(layers[m + 1].u);
  }

  /// A unit of hidden layer m with its parents.
  void add_unit(int m, const CascadeUnit& unit) {
    layers[m].add_unit(unit);
    layers[m - 1].add_parent();
  }
  /// The unit and all ancestors that only it holds.
  void drop_unit(int m, int k) {
    layers[m].drop_unit(k);
    layers[m - 1].drop_parent(k);
    for (int j = layers[m].parents() - 1; j >= 0; --j)
      if (layers[m].children[j] == 0) drop_unit(m + 1, j);
  }

  std::vector<unsigned char> bytes_kept() const;

  /// With u, which computed anew would differ in the last bit: that depends on places in memory.
  template <class Archive>
  void archive(Archive& a) {
    a(concentration);
    for (CascadeLayer& layer : layers) a(layer);
    for (const auto& [n, k] : data->missing) a(layers[0].x(n, k));
    for (int m = 1; m <= model.max_layers; ++m) {
      a(layers[m].x);
      a(layers[m].u);
    }
  }
};

}  // namespace buffet
