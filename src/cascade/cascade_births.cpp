#include "cascade_births.h"

#include <algorithm>
#include <utility>

#include "cascade_parameters.h"
#include "cascade_start.h"
#include "core/byte_code.h"
#include "core/normal_vector.h"
#include "core/resize.h"

namespace buffet {

CascadeSprout::CascadeSprout(const Cascade& cascade, int layer, Rng& rng)
    : cascade_(cascade), rng_(rng), levels_(cascade.layers.size()) {
  room_ = cascade.model.max_units - cascade.hidden_units();
  draw(layer);
}

void CascadeSprout::graft(Cascade& cascade) const {
  for (int m = static_cast<int>(levels_.size()) - 1; m > 0; --m)
    for (const CascadeUnit& unit : levels_[m].units) cascade.add_unit(m, unit);
}

int CascadeSprout::draw(int m) {
  if (m > cascade_.model.max_layers) refused_ = true;
  if (refused_ || --room_ < 0) return 0;
  const CascadeLayer& layer = cascade_.layers[m];
  Level& level = levels_[m];
  if (!level.begun) level.children = layer.children;
  level.begun = true;
  CascadeUnit unit;
  draw_parents(m, unit);
  if (!fits()) return 0;
  draw_values(m, unit);
  level.units.push_back(unit);
  return layer.units() + static_cast<int>(level.units.size()) - 1;
}

void CascadeSprout::draw_parents(int m, CascadeUnit& unit) {
  const CascadeLayer& layer = cascade_.layers[m];
  Level& level = levels_[m];
  const double c = cascade_.concentration;
  const double customers = layer.units() + static_cast<double>(level.units.size());
  const int dishes = static_cast<int>(level.children.size());
  for (int j = 0; j < dishes; ++j)
    if (rng_.bernoulli(level.children[j] / (customers + c))) {
      ++level.children[j];
      unit.parents.emplace_back(j, 0.0);
    }
  for (int n = rng_.poisson(layer.alpha * c / (customers + c)); n > 0 && fits(); --n) {
    unit.parents.emplace_back(draw(m + 1), 0.0);
    level.children.push_back(1);
  }
}

void CascadeSprout::draw_values(int m, CascadeUnit& unit) {
  const CascadeLayer& layer = cascade_.layers[m];
  const auto normal = [&](const NormalLaw& law) {
    return law.mean + rng_.normal() / std::sqrt(law.precision);
  };
  unit.bias = normal(layer.of_biases);
  unit.precision = rng_.gamma(cascade_.model.noise_shape, layer.noise_rate);
  if (unit.precision > cascade_.model.max_precision) refused_ = true;
  unit.x = Eigen::VectorXd::Constant(cascade_.rows(), unit.bias);
  for (auto& [parent, weight] : unit.parents) {
    weight = normal(layer.of_weights);
    unit.x += weight * activations_of(m + 1, parent);
  }
  add_normal(unit.x, 1 / std::sqrt(unit.precision), rng_);
  unit.u = squash(unit.x);
}

Eigen::VectorXd CascadeSprout::activations_of(int m, int k) const {
  const int known = cascade_.layers[m].units();
  return k < known ? Eigen::VectorXd(cascade_.layers[m].u.col(k)) : levels_[m].units[k - known].u;
}

void CascadeBirths::visit_layer(int m, const Check& check) {
  if (m >= cascade_.model.max_layers) return;
  rng_.permutation(cascade_.layers[m].units(), order_);
  if (m == 0 && cascade_.model.visible_births < static_cast<int>(order_.size()))
    order_.resize(cascade_.model.visible_births);
  for (int k : order_) {
    check();
    visit(m, k);
  }
}

void CascadeBirths::visit(int m, int k) {
  find_own(m, k);
  const bool birth = rng_.bernoulli(0.5);
  if (birth)
    propose_birth(m, k);
  else if (!own_.empty())
    propose_death(m, k, own_[rng_.below(static_cast<int>(own_.size()))]);
}

void CascadeBirths::find_own(int m, int k) {
  const CascadeLayer& layer = cascade_.layers[m];
  own_.clear();
  for (int j = 0; j < layer.parents(); ++j)
    if (layer.children[j] == 1 && layer.has(j, k)) own_.push_back(j);
}

double CascadeBirths::rate(int m) const {
  const CascadeLayer& layer = cascade_.layers[m];
  const double c = cascade_.concentration;
  return layer.alpha * c / (c + layer.units() - 1);
}

Eigen::VectorXd CascadeBirths::residual(int m, int k) const {
  const CascadeLayer& layer = cascade_.layers[m];
  Eigen::VectorXd e = layer.x.col(k).array() - layer.bias(k);
  for (int j = 0; j < layer.parents(); ++j)
    if (layer.has(j, k)) e -= layer.weights(j, k) * cascade_.layers[m + 1].u.col(j);
  return e;
}

EdgePosterior CascadeBirths::edge(int m, int k, const Eigen::VectorXd& u,
                                  const Eigen::VectorXd& e) const {
  const CascadeLayer& layer = cascade_.layers[m];
  return {layer.of_weights, layer.precision(k), u.squaredNorm(), u.dot(e)};
}

void CascadeBirths::propose_birth(int m, int k) {
  if (m == 0 && cascade_.layers[1].units() >= cascade_.model.max_features) return;
  const CascadeSprout sprout(cascade_, m + 1, rng_);
  if (!sprout.fits()) return;
  const EdgePosterior to = edge(m, k, sprout.activations(m + 1), residual(m, k));
  const double log_prior = std::log(rate(m) / (static_cast<double>(own_.size()) + 1));
  if (!accept(to.log_ratio + log_prior)) return;
  sprout.graft(cascade_);
  CascadeLayer& layer = cascade_.layers[m];
  layer.set_edge(layer.parents() - 1, k, to.draw(rng_));
}

void CascadeBirths::propose_death(int m, int k, int parent) {
  const CascadeLayer& layer = cascade_.layers[m];
  const Eigen::VectorXd u = cascade_.layers[m + 1].u.col(parent);
  const Eigen::VectorXd e = residual(m, k) + layer.weights(parent, k) * u;
  const double log_prior = std::log(static_cast<double>(own_.size()) / rate(m));
  if (accept(log_prior - edge(m, k, u, e).log_ratio)) cascade_.drop_unit(m + 1, parent);
}

CascadeStart::CascadeStart(Cascade& cascade, std::vector<int> widths, double density, Rng& rng)
    : cascade_(cascade), widths_(std::move(widths)), density_(density), rng_(rng) {}

void CascadeStart::operator()() {
  set_visible();
  for (std::size_t m = 0; m < widths_.size(); ++m) add_layer(static_cast<int>(m) + 1);
  for (std::size_t m = 0; m < widths_.size(); ++m) connect(static_cast<int>(m));
  for (int m = static_cast<int>(widths_.size()); m > 0; --m) draw_values(m);
  CascadeParameters(cascade_, rng_).update();
}

void CascadeStart::set_visible() {
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

void CascadeStart::add_layer(int m) {
  for (int k = 0; k < widths_[m - 1]; ++k) {
    CascadeUnit unit{0, 1, Eigen::VectorXd::Zero(cascade_.rows()), {}, {}};
    unit.u = unit.x;
    cascade_.add_unit(m, unit);
  }
}

void CascadeStart::connect(int m) {
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

void CascadeStart::draw_values(int m) {
  CascadeLayer& layer = cascade_.layers[m];
  layer.x = cascade_.means(m);
  add_normal(layer.x, 1, rng_);
  layer.u = squash(layer.x);
}

void start_from(const std::vector<CascadeLayer>& layers, Cascade& cascade, Rng& rng) {
  const int visible = cascade.layers[0].units();
  ByteReader::check(layers.size() <= cascade.layers.size() && is_network(layers, visible),
                    "its layers");
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
