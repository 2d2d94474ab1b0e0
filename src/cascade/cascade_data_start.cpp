#include "cascade_data_start.h"

#include <algorithm>
#include <cmath>

#include "cascade_parameters.h"
#include "cascade_start.h"

namespace buffet {

void CascadeDataStart::operator()(const Check& check) {
  find(check);
  std::vector<int> widths;
  for (const SparseComponents& components : found_)
    widths.push_back(static_cast<int>(components.scores.cols()));
  CascadeStart(cascade_, widths, 1, rng_)();
  for (std::size_t m = 0; m < found_.size(); ++m) set_layer(static_cast<int>(m));
  CascadeParameters(cascade_, rng_).update();
}

void CascadeDataStart::find(const Check& check) {
  const CascadeModel& model = cascade_.model;
  int most = std::min(model.max_features, model.max_units), room = model.max_units;
  Eigen::MatrixXd x = cascade_.data->x;
  for (int m = 0; m < model.max_layers; ++m) {
    SparseComponents components(x, most, check);
    if (components.scores.cols() == 0) return;
    x = components.scores;
    most = room -= static_cast<int>(x.cols());
    found_.push_back(std::move(components));
  }
}

void CascadeDataStart::set_layer(int m) {
  const SparseComponents& components = found_[m];
  CascadeLayer& layer = cascade_.layers[m];
  layer.bias = components.means.transpose();
  layer.precision.setConstant(1 / std::max(components.noise, 1 / cascade_.model.max_precision));
  set_edges(m);
  cascade_.layers[m + 1].x = components.scores;
  cascade_.layers[m + 1].u = squash(components.scores);
  if (m > 0) return;
  for (const auto& [n, k] : cascade_.data->missing) layer.x(n, k) = components.filled(n, k);
}

void CascadeDataStart::set_edges(int m) {
  // Scores have variance 1, so that activations are less than half of them.
  constexpr double weight = 2.2;
  const SparseComponents& components = found_[m];
  const double sd = std::sqrt(components.noise / static_cast<double>(cascade_.rows()));
  CascadeLayer& layer = cascade_.layers[m];
  for (int j = 0; j < layer.parents(); ++j) {
    const Eigen::VectorXd loadings = components.loadings.col(j);
    const double least = std::min(3 * sd, loadings.cwiseAbs().maxCoeff());
    for (int k = 0; k < layer.units(); ++k)
      if (std::abs(loadings(k)) >= least)
        layer.set_edge(j, k, weight * loadings(k));
      else
        layer.clear_edge(j, k);
  }
}

}  // namespace buffet
