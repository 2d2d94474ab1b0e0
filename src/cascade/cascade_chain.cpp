#include "cascade_chain.h"

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "cascade_fold.h"
#include "core/special.h"

namespace buffet {

double CascadeDensity::log_lik() const {
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

double CascadeDensity::log_joint() const {
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

double CascadeDensity::log_structure(int m) const {
  const CascadeLayer& layer = cascade_.layers[m];
  const double c = cascade_.concentration;
  return layer.parents() * std::log(layer.alpha) + layer.log_edges(c) + sum_log_gamma(layer);
}

std::vector<double> CascadeDensity::scalars() const {
  const int most = cascade_.model.max_layers;
  std::vector<double> values = {double(cascade_.layers[1].units()), double(cascade_.depth())};
  for (int m = 1; m <= most; ++m) values.push_back(cascade_.layers[m].units());
  for (int m = 0; m < most; ++m) values.push_back(cascade_.layers[m].count_edges());
  for (int m = 0; m <= most; ++m) values.push_back(cascade_.layers[m].alpha);
  values.insert(values.end(), {cascade_.concentration, log_lik(), log_joint()});
  return values;
}

std::vector<std::string> CascadeDensity::names(const CascadeModel& model) {
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

double CascadeDensity::log_normal(const Eigen::MatrixXd& left, const Eigen::VectorXd& precision,
                                  const Eigen::VectorXd& counts) {
  const Eigen::VectorXd squares = left.colwise().squaredNorm();
  return 0.5 * (counts.array() * (precision.array() / (2 * M_PI)).log() -
                precision.array() * squares.array())
                   .sum();
}

double CascadeDensity::sum_log_gamma(const CascadeLayer& layer) {
  double sum = 0;
  for (int m : layer.children) sum += log_gamma(m);
  return sum;
}

double CascadeDensity::log_parameters(int m) const {
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

CascadeChain::CascadeChain(const CascadeData& data, const CascadeModel& model, Rng rng_)
    : z(static_cast<int>(data.x.cols())), likelihood(data, model), rng(std::move(rng_)) {}

void CascadeChain::sweep(const Check& check) {
  draw_missing();
  CascadeBirths births(likelihood, rng);
  CascadeActivations activations(likelihood, rng);
  for (int m = 0; m <= likelihood.depth(); ++m) {
    births.visit_layer(m, check);
    CascadeParents(likelihood, m, rng).visit_all(check);
    if (m < likelihood.depth())
      activations.visit_layer(m + 1, ChildrenTerms(likelihood.layers[m]), check);
  }
  CascadeParameters(likelihood, rng).update();
  set_features();
}

void CascadeChain::draw_missing() {
  CascadeLayer& visible = likelihood.layers[0];
  for (const auto& [n, k] : likelihood.data->missing) {
    double mean = visible.bias(k);
    if (visible.parents() > 0) mean += likelihood.layers[1].u.row(n).dot(visible.weights.col(k));
    visible.x(n, k) = mean + rng.normal() / std::sqrt(visible.precision(k));
  }
}

void CascadeChain::set_features() {
  const CascadeLayer& visible = likelihood.layers[0];
  Features edges(visible.units());
  for (int j = 0; j < visible.parents(); ++j) {
    Bits column(visible.units());
    for (int k = 0; k < visible.units(); ++k)
      if (visible.has(j, k)) column.set(k);
    edges.add(std::move(column));
  }
  z = std::move(edges);
}

Eigen::MatrixXd mean_response(const Eigen::MatrixXd& y, const Eigen::VectorXd& precision) {
  constexpr std::array<double, 3> nodes = {0, 1.3556261799742659, 2.8569700138728056};
  constexpr std::array<double, 3> weights = {8 / 15.0, 0.22207592200561263, 0.011257411327720691};
  const Eigen::RowVectorXd sd = precision.cwiseSqrt().cwiseInverse().transpose();
  Eigen::MatrixXd mean = weights[0] * squash(y);
  for (int n : {1, 2})
    for (int sign : {-1, 1})
      mean += weights[n] * squash(Eigen::MatrixXd(y.rowwise() + sign * nodes[n] * sd));
  return mean;
}

CascadeFold::CascadeFold(std::vector<CascadeLayer> layers, const Eigen::MatrixXd& x,
                         const Plan& plan)
    : layers_(std::move(layers)), x_(x), plan_(plan) {}

Eigen::MatrixXd CascadeFold::response(const Rng& rng, const Keys& keys, const Check& check) {
  Eigen::MatrixXd all(x_.rows(), x_.cols());
  for (const auto& [observed, rows] : patterns()) {
    std::vector<Rng> of_rows(rows.size(), rng);
    for (std::size_t n = 0; n < rows.size(); ++n) of_rows[n].begin(keys[rows[n]]);
    const Eigen::MatrixXd some = response({observed, rows, std::move(of_rows)}, rng, check);
    for (std::size_t n = 0; n < rows.size(); ++n) all.row(rows[n]) = some.row(n);
  }
  return all;
}

std::map<CascadeFold::Numbers, CascadeFold::Numbers> CascadeFold::patterns() const {
  std::map<Numbers, Numbers> all;
  for (int n = 0; n < x_.rows(); ++n) {
    Numbers observed;
    for (int k = 0; k < x_.cols(); ++k)
      if (!std::isnan(x_(n, k))) observed.push_back(k);
    all[observed].push_back(n);
  }
  return all;
}

Cascade CascadeFold::network(const CascadeData& data, const Numbers& observed) const {
  CascadeModel model;
  model.max_layers = static_cast<int>(layers_.size()) - 1;
  model.sampler = plan_.sampler;
  Cascade cascade(data, model);
  CascadeLayer& visible = cascade.layers[0];
  visible.weights.resize(layers_[0].parents(), visible.units());
  for (int k = 0; k < visible.units(); ++k) {
    visible.bias(k) = layers_[0].bias(observed[k]);
    visible.precision(k) = layers_[0].precision(observed[k]);
    visible.weights.col(k) = layers_[0].weights.col(observed[k]);
  }
  for (int m = model.max_layers; m > 0; --m) {
    cascade.layers[m] = layers_[m];
    cascade.layers[m].x.resize(data.x.rows(), layers_[m].units());
    cascade.layers[m].x = cascade.means(m);
    cascade.layers[m].u = squash(cascade.layers[m].x);
  }
  return cascade;
}

Eigen::MatrixXd CascadeFold::response(Pattern pattern, Rng rng, const Check& check) {
  const Numbers &observed = pattern.observed, &rows = pattern.rows;
  Eigen::MatrixXd seen(rows.size(), observed.size());
  for (std::size_t n = 0; n < rows.size(); ++n)
    for (std::size_t k = 0; k < observed.size(); ++k) seen(n, k) = x_(rows[n], observed[k]);
  const CascadeData data(std::move(seen));
  Cascade cascade = network(data, observed);
  const int depth = cascade.model.max_layers;
  if (depth == 0)
    return mean_response(layers_[0].bias.transpose().replicate(rows.size(), 1),
                         layers_[0].precision);
  const ChildrenTerms visible(cascade.layers[0]);
  CascadeActivations activations(cascade, rng, std::move(pattern.of_rows));
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows.size(), x_.cols());
  int counted = 0;
  const int last = plan_.warmup + plan_.sweeps;
  for (int t = 1; t <= last; ++t) {
    activations.visit_layer(1, visible, check);
    for (int m = 2; m <= depth; ++m)
      activations.visit_layer(m, ChildrenTerms(cascade.layers[m - 1]), check);
    // Consecutive sweeps give nearly equal values, so only every third sweep is used, counted back
    // from the last.
    if (t <= plan_.warmup || (last - t) % 3 != 0) continue;
    const Eigen::MatrixXd& u = cascade.layers[1].u;
    sum += mean_response((u * layers_[0].weights).rowwise() + layers_[0].bias.transpose(),
                         layers_[0].precision);
    ++counted;
  }
  return sum / counted;
}

}  // namespace buffet
