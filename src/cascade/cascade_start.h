#pragma once

#include <algorithm>
#include <vector>

#include "cascade.h"
#include "cascade_parameters.h"
#include "core/normal_vector.h"

namespace buffet {

/// Hidden layers of given widths: edges at random with a given probability, but at least one of
/// every child and every parent, with small weights; biases at the data's means, precisions at
/// their variances, and activations as the layers above have them.
class CascadeStart {
 public:
  CascadeStart(Cascade& cascade, std::vector<int> widths, double density, Rng& rng)
      : cascade_(cascade), widths_(std::move(widths)), density_(density), rng_(rng) {}

  void operator()() {
    set_visible();
    for (std::size_t m = 0; m < widths_.size(); ++m) add_layer(static_cast<int>(m) + 1);
    for (std::size_t m = 0; m < widths_.size(); ++m) connect(static_cast<int>(m));
    for (int m = static_cast<int>(widths_.size()); m > 0; --m) draw_values(m);
    CascadeParameters(cascade_, rng_).update();
  }

 private:
  void set_visible() {
    CascadeLayer& visible = cascade_.layers[0];
    const Eigen::MatrixXd& x = cascade_.data->x;
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      double of_column = 0, of_squares = 0, observed = 0;
      for (Eigen::Index n = 0; n < x.rows(); ++n) {
        if (std::isnan(x(n, k))) continue;
        of_column += x(n, k);
        of_squares += x(n, k) * x(n, k);
        ++observed;
      }
      visible.bias(k) = of_column / std::max(1.0, observed);
      const double around = of_squares - of_column * visible.bias(k);
      visible.precision(k) = (observed + 1) / (std::max(0.0, around) + 1e-2 * (observed + 1));
    }
    for (const auto& [n, k] : cascade_.data->missing) visible.x(n, k) = visible.bias(k);
  }

  void add_layer(int m) {
    for (int k = 0; k < widths_[m - 1]; ++k) {
      CascadeUnit unit{0, 1, Eigen::VectorXd::Zero(cascade_.rows()), {}, {}};
      unit.u = unit.x;
      cascade_.add_unit(m, unit);
    }
  }

  void connect(int m) {
    CascadeLayer& layer = cascade_.layers[m];
    const auto weight = [&] { return 0.3 * rng_.normal(); };
    for (int k = 0; k < layer.units(); ++k) {
      bool any = false;
      for (int j = 0; j < layer.parents(); ++j)
        if (rng_.bernoulli(density_)) {
          layer.set_edge(j, k, weight());
          any = true;
        }
      if (!any) layer.set_edge(rng_.below(layer.parents()), k, weight());
    }
    for (int j = 0; j < layer.parents(); ++j)
      if (layer.children[j] == 0) layer.set_edge(j, rng_.below(layer.units()), weight());
  }

  void draw_values(int m) {
    CascadeLayer& layer = cascade_.layers[m];
    layer.x = cascade_.means(m);
    add_normal(layer.x, 1, rng_);
    layer.u = squash(layer.x);
  }

  Cascade& cascade_;
  std::vector<int> widths_;
  double density_;
  Rng& rng_;
};

/// Where a chain on data of the same size has been, the layers as read_cascade() has them.
inline void start_from(const std::vector<CascadeLayer>& layers, Cascade& cascade, Rng& rng) {
  for (std::size_t m = 0; m < layers.size(); ++m) {
    CascadeLayer& layer = cascade.layers[m];
    const double alpha = layer.alpha, noise_rate = layer.noise_rate;
    const Eigen::MatrixXd x = m == 0 ? layer.x : layers[m].x, u = layer.u;
    layer = layers[m];
    layer.alpha = alpha;
    layer.noise_rate = noise_rate;
    layer.x = x;
    if (m == 0) layer.u = u;
  }
  CascadeParameters(cascade, rng).update();
}

}  // namespace buffet
