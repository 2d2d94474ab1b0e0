#include "cascade.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "cascade_record.h"
#include "core/byte_code.h"
#include "core/resize.h"
#include "core/special.h"

namespace buffet {

double NormalLaw::log_density(double count, double sum, double squares) const {
  const double around = squares - 2 * mean * sum + count * mean * mean;
  return 0.5 * (count * std::log(precision / (2 * M_PI)) - precision * around);
}

NormalLaw NormalGamma::draw(double count, double sum, double squares, Rng& rng) const {
  const double total = weight + count;
  const double mean = (weight * center + sum) / total;
  const double around =
      squares - 2 * mean * sum + count * mean * mean + weight * std::pow(center - mean, 2);
  const double precision = rng.gamma(shape + 0.5 * count, rate + 0.5 * std::max(0.0, around));
  return {mean + rng.normal() / std::sqrt(total * precision), precision};
}

double NormalGamma::log_density(const NormalLaw& law) const {
  return shape * std::log(rate) - log_gamma(shape) + (shape - 1) * std::log(law.precision) -
         rate * law.precision +
         NormalLaw{center, weight * law.precision}.log_density(1, law.mean, law.mean * law.mean);
}

double harmonic(int k, double concentration) {
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += concentration / (concentration + i);
  return sum;
}

int CascadeLayer::count_edges() const {
  int n = 0;
  for (int m : children) n += m;
  return n;
}

double CascadeLayer::log_edges(double c) const {
  double sum = parents() * (std::log(c) - log_gamma(units() + c)) - alpha * harmonic(units(), c);
  for (int m : children) sum += log_gamma(units() - m + c);
  return sum;
}

void CascadeLayer::set_edge(int parent, int k, double weight) {
  children[parent] += !has(parent, k);
  edges(parent, k) = 1;
  weights(parent, k) = weight;
}

void CascadeLayer::clear_edge(int parent, int k) {
  children[parent] -= has(parent, k);
  edges(parent, k) = 0;
  weights(parent, k) = 0;
}

void CascadeLayer::add_parent() {
  edges.conservativeResize(parents() + 1, units());
  edges.bottomRows(1).setZero();
  weights.conservativeResize(parents() + 1, units());
  weights.bottomRows(1).setZero();
  children.push_back(0);
}

void CascadeLayer::drop_parent(int parent) {
  const int last = parents() - 1;
  edges.row(parent) = edges.row(last).eval();
  edges.conservativeResize(last, units());
  weights.row(parent) = weights.row(last).eval();
  weights.conservativeResize(last, units());
  children[parent] = children.back();
  children.pop_back();
}

void CascadeLayer::add_unit(const CascadeUnit& unit) {
  const int k = units();
  x.conservativeResize(unit.x.size(), k + 1);
  x.col(k) = unit.x;
  u.conservativeResize(unit.u.size(), k + 1);
  u.col(k) = unit.u;
  bias.conservativeResize(k + 1);
  bias(k) = unit.bias;
  precision.conservativeResize(k + 1);
  precision(k) = unit.precision;
  edges.conservativeResize(parents(), k + 1);
  edges.col(k).setZero();
  weights.conservativeResize(parents(), k + 1);
  weights.col(k).setZero();
  for (const auto& [parent, weight] : unit.parents) set_edge(parent, k, weight);
}

void CascadeLayer::drop_unit(int k) {
  for (int j = 0; j < parents(); ++j) children[j] -= has(j, k);
  const int last = units() - 1;
  const auto drop_column = [&](auto& matrix) {
    matrix.col(k) = matrix.col(last).eval();
    matrix.conservativeResize(Eigen::NoChange, last);
  };
  drop_column(x);
  drop_column(u);
  drop_column(edges);
  drop_column(weights);
  bias(k) = bias(last);
  bias.conservativeResize(last);
  precision(k) = precision(last);
  precision.conservativeResize(last);
}

Eigen::MatrixXd CascadeLayer::means(const Eigen::MatrixXd& above) const {
  Eigen::MatrixXd y = bias.transpose().replicate(x.rows(), 1);
  if (parents() > 0) y.noalias() += above * weights;
  return y;
}

CascadeData::CascadeData(Eigen::MatrixXd x_, double log_slopes_)
    : x(std::move(x_)), log_slopes(log_slopes_) {
  for (int k = 0; k < x.cols(); ++k)
    for (int n = 0; n < x.rows(); ++n)
      if (std::isnan(x(n, k))) missing.emplace_back(n, k);
}

Cascade::Cascade(const CascadeData& data_, const CascadeModel& model_)
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

int Cascade::depth() const {
  int m = 0;
  while (m < model.max_layers && layers[m + 1].units() > 0) ++m;
  return m;
}

int Cascade::hidden_units() const {
  int n = 0;
  for (std::size_t m = 1; m < layers.size(); ++m) n += layers[m].units();
  return n;
}

Eigen::MatrixXd Cascade::means(int m) const {
  if (layers[m].parents() == 0) return layers[m].means({});
  return layers[m].means(layers[m + 1].u);
}

void Cascade::add_unit(int m, const CascadeUnit& unit) {
  layers[m].add_unit(unit);
  layers[m - 1].add_parent();
}

void Cascade::drop_unit(int m, int k) {
  layers[m].drop_unit(k);
  layers[m - 1].drop_parent(k);
  for (int j = layers[m].parents() - 1; j >= 0; --j)
    if (layers[m].children[j] == 0) drop_unit(m + 1, j);
}

std::vector<unsigned char> Cascade::bytes_kept() const {
  ByteWriter bytes;
  const int depth = this->depth();
  bytes.number(static_cast<unsigned>(depth));
  for (int m = 0; m <= depth; ++m) {
    const CascadeLayer& layer = layers[m];
    bytes.number(static_cast<unsigned>(layer.units()));
    for (int k = 0; k < layer.units(); ++k) {
      bytes.real(layer.bias(k));
      bytes.real(layer.precision(k));
      int held = 0;
      for (int j = 0; j < layer.parents(); ++j) held += layer.has(j, k);
      bytes.number(static_cast<unsigned>(held));
      for (int j = 0, before = 0; j < layer.parents(); ++j) {
        if (!layer.has(j, k)) continue;
        bytes.next(j, before);
        bytes.real(layer.weights(j, k));
      }
    }
  }
  for (int m = 1; m <= depth; ++m)
    for (Eigen::Index n = 0; n < layers[m].x.size(); ++n) bytes.real(layers[m].x(n));
  return bytes.take();
}

bool is_network(const std::vector<CascadeLayer>& layers, Eigen::Index visible) {
  if (layers[0].units() != visible) return false;
  for (std::size_t m = 0; m < layers.size(); ++m) {
    const std::vector<int>& children = layers[m].children;
    const int above = m + 1 < layers.size() ? layers[m + 1].units() : 0;
    if (layers[m].parents() != above || std::count(children.begin(), children.end(), 0) > 0)
      return false;
  }
  return true;
}

namespace {

using Parents = std::vector<std::vector<std::pair<int, double>>>;

/// Reads the biases and precisions of a layer; returns the parents of each unit.
Parents read_units(ByteReader& bytes, CascadeLayer& layer) {
  const int units = bytes.count(9, "the units of a layer");
  layer.bias.resize(units);
  layer.precision.resize(units);
  Parents parents(units);
  for (int k = 0; k < units; ++k) {
    layer.bias(k) = bytes.real();
    layer.precision(k) = bytes.real();
    parents[k].resize(bytes.count(5, "the parents of a unit"));
    int before = 0;
    for (auto& [parent, weight] : parents[k]) {
      parent = bytes.next(before, std::numeric_limits<int>::max(), "the parents of a unit");
      weight = bytes.real();
    }
  }
  return parents;
}

/// Checks that every parent is a unit of the layer above.
void set_edges(const ByteReader& bytes, const Parents& parents, int above, CascadeLayer& layer) {
  layer.edges = CascadeLayer::Edges::Zero(above, layer.units());
  layer.weights = Eigen::MatrixXd::Zero(above, layer.units());
  layer.children.assign(above, 0);
  for (int k = 0; k < layer.units(); ++k) {
    int before = -1;
    for (const auto& [parent, weight] : parents[k]) {
      bytes.check(parent > before && parent < above, "the parents of a unit");
      layer.set_edge(before = parent, k, weight);
    }
  }
}

}  // namespace

std::vector<CascadeLayer> read_cascade(ByteReader bytes, int rows) {
  const int depth = bytes.count(1, "the number of layers");
  std::vector<CascadeLayer> layers(depth + 1);
  std::vector<Parents> parents;
  for (CascadeLayer& layer : layers) parents.push_back(read_units(bytes, layer));
  for (int m = 0; m <= depth; ++m)
    set_edges(bytes, parents[m], m < depth ? layers[m + 1].units() : 0, layers[m]);
  bytes.check(is_network(layers, layers[0].units()), "its layers");
  for (int m = 1; m <= depth; ++m) {
    layers[m].x.resize(rows, layers[m].units());
    for (Eigen::Index n = 0; n < layers[m].x.size(); ++n) layers[m].x(n) = bytes.real();
    layers[m].u = squash(layers[m].x);
  }
  if (rows > 0) bytes.end();
  return layers;
}

}  // namespace buffet
