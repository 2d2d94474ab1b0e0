#pragma once

#include <Eigen/Dense>
#include <limits>
#include <utility>
#include <vector>

#include "cascade_layer.h"
#include "core/archive.h"
#include "core/hyper.h"

namespace buffet {

/// How activations are drawn given everything else.
enum class ActivationSampler { slice, multiple_try, elliptical };

/// Prior of a cascade (Adams, Wallach & Ghahramani 2010), and sampling settings. Layer 0 is the
/// visible one.
struct CascadeModel {
  Hyper alpha, alpha_deep, concentration;  ///< alpha of layer 0 and of deeper layers; shared
                                           ///< concentration
  NormalGamma weights, biases;             ///< priors of each layer's weights and biases
  double noise_shape = 2;                  ///< precisions ~ Gamma(noise_shape, rate of the layer)
  Hyper noise_rate = Hyper::gamma(1, 0.1);
  double max_precision = 1e6;  ///< limit without which constant columns would have an improper
                               ///< posterior
  int max_layers = 50, max_units = 2000;               ///< limits for hidden layers
  int max_features = std::numeric_limits<int>::max();  ///< maximum number of units in layer 1
  ActivationSampler sampler = ActivationSampler::slice;
  int visible_births = 20;  ///< visible units with births and deaths per sweep

  const Hyper& alpha_of(int m) const { return m == 0 ? alpha : alpha_deep; }
};

/// Data as pre-activations, N x D, NaN if missing.
struct CascadeData {
  Eigen::MatrixXd x;
  std::vector<std::pair<int, int>> missing;
  double log_slopes = 0;  ///< sum of log |dx / dv| of the observed data v

  explicit CascadeData(Eigen::MatrixXd x_, double log_slopes_ = 0);
};

/// True if there are this many visible units and every other unit is a parent of some unit.
bool is_network(const std::vector<CascadeLayer>& layers, Eigen::Index visible);

/// The state of a chain. All possible layers exist, even those without units, because they also
/// have hyperparameters.
struct Cascade {
  static constexpr bool keeps_loadings = false;
  static constexpr bool keeps_bytes = true;

  const CascadeData* data;
  CascadeModel model;
  double concentration;
  std::vector<CascadeLayer> layers;  ///< the visible layer and max_layers hidden ones

  Cascade(const CascadeData& data_, const CascadeModel& model_);

  int rows() const { return static_cast<int>(data->x.rows()); }
  /// Number of hidden layers that have units.
  int depth() const;
  int hidden_units() const;

  /// Means of layer m given the activations of its parents.
  Eigen::MatrixXd means(int m) const;

  /// Adds a unit with its parents to hidden layer m.
  void add_unit(int m, const CascadeUnit& unit);
  /// Drops the unit and all ancestors without another descendant.
  void drop_unit(int m, int k);

  /// In single precision: the number of hidden layers; then, from the visible layer up, the number
  /// of units and, for each unit, its bias, its precision, and its parents (coded as differences
  /// between consecutive numbers) with their weights; finally the hidden pre-activations from layer
  /// 1 up.
  std::vector<unsigned char> bytes_kept() const;

  /// Includes u, because recomputing it could change its last bit, which depends on memory
  /// alignment.
  void archive(Archive& a) {
    a(concentration);
    for (CascadeLayer& layer : layers) a(layer);
    a.check(is_network(layers, layers[0].x.cols()), "its layers");
    for (const auto& [n, k] : data->missing) a(layers[0].x(n, k));
    for (int m = 1; m <= model.max_layers; ++m) {
      a(layers[m].x);
      a(layers[m].u);
      for (const auto* part : {&layers[m].x, &layers[m].u})
        a.check(part->rows() == rows() && part->cols() == layers[m].units(), "activations");
    }
  }
};

}  // namespace buffet
