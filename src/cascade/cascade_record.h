#pragma once

#include <vector>

#include "cascade.h"
#include "core/byte_code.h"

namespace buffet {

/// The cascade in single precision: how many hidden layers, then from the visible one up the number
/// of units and of each its bias, precision and parents, each by how far its number is from the one
/// before, with weights; last the hidden pre-activations from layer 1 up.
inline std::vector<unsigned char> Cascade::bytes_kept() const {
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
        bytes.number(static_cast<unsigned>(j - before));
        bytes.real(layer.weights(j, k));
        before = j;
      }
    }
  }
  for (int m = 1; m <= depth; ++m)
    for (Eigen::Index n = 0; n < layers[m].x.size(); ++n) bytes.real(layers[m].x(n));
  return bytes.take();
}

/// Layers of a kept draw, the visible one without x, the hidden ones with those of `rows` rows.
inline std::vector<CascadeLayer> read_cascade(const unsigned char* from, int rows) {
  ByteReader bytes(from);
  std::vector<CascadeLayer> layers(bytes.number() + 1);
  for (std::size_t m = 0; m < layers.size(); ++m) {
    CascadeLayer& layer = layers[m];
    const auto units = static_cast<int>(bytes.number());
    layer.bias.resize(units);
    layer.precision.resize(units);
    std::vector<std::vector<std::pair<int, double>>> parents(units);
    for (int k = 0; k < units; ++k) {
      layer.bias(k) = bytes.real();
      layer.precision(k) = bytes.real();
      parents[k].resize(bytes.number());
      int before = 0;
      for (auto& [parent, weight] : parents[k]) {
        parent = before += static_cast<int>(bytes.number());
        weight = bytes.real();
      }
    }
    int count = 0;
    for (const auto& held : parents)
      if (!held.empty()) count = std::max(count, held.back().first + 1);
    layer.edges = CascadeLayer::Edges::Zero(count, units);
    layer.weights = Eigen::MatrixXd::Zero(count, units);
    layer.children.assign(count, 0);
    for (int k = 0; k < units; ++k)
      for (const auto& [parent, weight] : parents[k]) layer.set_edge(parent, k, weight);
  }
  for (std::size_t m = 1; m < layers.size(); ++m) {
    layers[m].x.resize(rows, layers[m].units());
    for (Eigen::Index n = 0; n < layers[m].x.size(); ++n) layers[m].x(n) = bytes.real();
    layers[m].u = squash(layers[m].x);
  }
  return layers;
}

}  // namespace buffet
