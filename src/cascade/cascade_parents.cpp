#include "cascade_parents.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "cascade_activations.h"
#include "cascade_parameters.h"
#include "cholesky.h"
#include "core/bounded_gamma.h"
#include "core/normal_vector.h"
#include "core/slice.h"

namespace buffet {

CascadeParents::CascadeParents(Cascade& cascade, int m, Rng& rng)
    : cascade_(cascade), layer_(cascade.layers[m]), rng_(rng) {
  const auto rows = layer_.x.rows();
  Eigen::MatrixXd above = Eigen::MatrixXd::Ones(rows, 1 + layer_.parents());
  if (layer_.parents() > 0) above.rightCols(layer_.parents()) = cascade.layers[m + 1].u;
  gram_.noalias() = above.transpose() * above;
  moments_.noalias() = above.transpose() * layer_.x;
  squares_ = layer_.x.colwise().squaredNorm();
  above_ = std::move(above);
  set_log_odds();
  set_correlations();
}

void CascadeParents::visit_all(const Check& check) {
  std::vector<int> order;
  rng_.permutation(layer_.units(), order);
  for (int k : order) {
    check();
    visit_edges(k);
    draw_weights(k);
  }
  set_correlations();
  for (int k : order) draw_precision(k);
}

void CascadeParents::visit_edges(int k) {
  rng_.permutation(layer_.parents(), order_);
  for (int j : order_) {
    const int others = layer_.children[j] - layer_.has(j, k);
    if (others > 0) visit_edge(k, j, others);
  }
}

EdgePosterior CascadeParents::edge(int k, int j) const {
  const double uu = gram_(j + 1, j + 1);
  return {layer_.of_weights, layer_.precision(k), uu,
          correlations_(j + 1, k) + layer_.weights(j, k) * uu};
}

void CascadeParents::set_correlations() {
  Eigen::MatrixXd coefficients(gram_.rows(), layer_.units());
  coefficients.row(0) = layer_.bias.transpose();
  coefficients.bottomRows(layer_.parents()) = layer_.weights;
  correlations_ = moments_;
  correlations_.noalias() -= gram_ * coefficients;
}

void CascadeParents::draw_weights(int k) {
  find_present(k);
  const auto size = static_cast<Eigen::Index>(present_.size());
  const double nu = layer_.precision(k);
  Eigen::MatrixXd precision(size, size);
  Eigen::VectorXd linear(size);
  for (Eigen::Index a = 0; a < size; ++a) {
    const NormalLaw& prior = a == 0 ? layer_.of_biases : layer_.of_weights;
    for (Eigen::Index b = a; b < size; ++b) precision(b, a) = nu * gram_(present_[b], present_[a]);
    precision(a, a) += prior.precision;
    linear(a) = prior.precision * prior.mean + nu * moments_(present_[a], k);
  }
  cholesky_in_place(precision);
  precision.triangularView<Eigen::Lower>().solveInPlace(linear);
  add_normal(linear, 1, rng_);
  precision.transpose().triangularView<Eigen::Upper>().solveInPlace(linear);
  layer_.bias(k) = linear(0);
  for (Eigen::Index a = 1; a < size; ++a) layer_.weights(present_[a] - 1, k) = linear(a);
}

void CascadeParents::draw_precision(int k) {
  const CascadeModel& model = cascade_.model;
  const double rows = static_cast<double>(layer_.x.rows());
  const BoundedGamma law{model.noise_shape + 0.5 * rows,
                         layer_.noise_rate + 0.5 * residual_squares(k), 0, model.max_precision};
  layer_.precision(k) = law.draw(layer_.precision(k), rng_);
}

double CascadeParents::residual_squares(int k) const {
  const auto weights = layer_.weights.col(k);
  const double explained = layer_.bias(k) * (moments_(0, k) + correlations_(0, k)) +
                           weights.dot((moments_ + correlations_).col(k).tail(weights.size()));
  const double sum = squares_(k) - explained;
  if (sum > 1e-6 * squares_(k)) return sum;
  return (layer_.x.col(k).array() - layer_.bias(k) -
          (above_.rightCols(weights.size()) * weights).array())
      .matrix()
      .squaredNorm();
}

void CascadeParents::set_log_odds() {
  const int units = layer_.units();
  log_odds_.resize(units);
  for (int c = 1; c < units; ++c)
    log_odds_[c] = std::log(c / (units + cascade_.concentration - 1 - c));
}

void CascadeParents::visit_edge(int k, int j, int others) {
  const EdgePosterior posterior = edge(k, j);
  const double log_odds = prior_log_odds(others) + posterior.log_ratio;
  const double before = layer_.weights(j, k);
  if (rng_.bernoulli(1 / (1 + std::exp(-log_odds))))
    layer_.set_edge(j, k, posterior.draw(rng_));
  else
    layer_.clear_edge(j, k);
  const double change = layer_.weights(j, k) - before;
  if (change != 0) correlations_.col(k) -= change * gram_.col(j + 1);
}

void CascadeParents::find_present(int k) {
  present_.assign(1, 0);
  for (int j = 0; j < layer_.parents(); ++j)
    if (layer_.has(j, k)) present_.push_back(j + 1);
}

void CascadeParameters::update() {
  for (std::size_t m = 0; m < cascade_.layers.size(); ++m) update_layer(static_cast<int>(m));
  update_concentration();
}

void CascadeParameters::update_layer(int m) {
  CascadeLayer& layer = cascade_.layers[m];
  const CascadeModel& model = cascade_.model;
  layer.of_weights = model.weights.draw(layer.count_edges(), layer.weights.sum(),
                                        layer.weights.squaredNorm(), rng_);
  layer.of_biases =
      model.biases.draw(layer.units(), layer.bias.sum(), layer.bias.squaredNorm(), rng_);
  if (model.noise_rate.learned)
    layer.noise_rate = rng_.gamma(model.noise_rate.shape + model.noise_shape * layer.units(),
                                  model.noise_rate.rate + layer.precision.sum());
  const Hyper& alpha = model.alpha_of(m);
  if (alpha.learned) {
    const double drawn = rng_.gamma(alpha.shape + layer.parents(),
                                    alpha.rate + harmonic(layer.units(), cascade_.concentration));
    // Under broad priors, draws can underflow to 0.
    layer.alpha = std::max(drawn, std::numeric_limits<double>::min());
  }
}

void CascadeParameters::update_concentration() {
  const Hyper& prior = cascade_.model.concentration;
  if (!prior.learned) return;
  const auto log_density = [&](double c) {
    double sum = prior.log_prior_of_log(c);
    for (const CascadeLayer& layer : cascade_.layers) sum += layer.log_edges(c);
    return sum;
  };
  cascade_.concentration = slice_positive(cascade_.concentration, log_density, {1, 230}, rng_);
}

double slice_activation(double x, const ActivationLaw& law, Rng& rng) {
  const double seen = std::min(0.25 * law.weight, 99 * law.precision);
  const double width = 2.5 / std::sqrt(law.precision + seen);
  return slice_sample(
      x, [&](double at) { return law.log_density(at); }, width, rng);
}

double multiple_try_activation(double x, const ActivationLaw& law, Rng& rng) {
  std::array<double, 5> tries, weights;
  const auto draw = [&] { return law.mean + law.sd() * rng.normal(); };
  const auto weight = [&](double at) { return law.log_children(at); };
  double most = weight(x);
  for (std::size_t n = 0; n < tries.size(); ++n) {
    tries[n] = draw();
    weights[n] = weight(tries[n]);
    most = std::max(most, weights[n]);
  }
  double total = 0, others = std::exp(weight(x) - most);
  for (double& w : weights) total += w = std::exp(w - most);
  double at = rng.uniform() * total;
  std::size_t chosen = 0;
  while (chosen + 1 < tries.size() && (at -= weights[chosen]) >= 0) ++chosen;
  for (std::size_t n = 1; n < tries.size(); ++n) others += std::exp(weight(draw()) - most);
  return rng.uniform() * others < total ? tries[chosen] : x;
}

double elliptical_activation(double x, const ActivationLaw& law, Rng& rng) {
  const double other = law.sd() * rng.normal(), from = x - law.mean;
  const double level = law.log_children(x) + std::log(rng.uniform());
  double angle = 2 * M_PI * rng.uniform(), least = angle - 2 * M_PI, most = angle;
  for (;;) {
    const double proposal = law.mean + from * std::cos(angle) + other * std::sin(angle);
    if (law.log_children(proposal) > level) return proposal;
    if (most - least < 1e-12) return x;
    (angle < 0 ? least : most) = angle;
    angle = least + (most - least) * rng.uniform();
  }
}

double draw_activation(double x, const ActivationLaw& law, ActivationSampler sampler, Rng& rng) {
  switch (sampler) {
    case ActivationSampler::multiple_try:
      return multiple_try_activation(x, law, rng);
    case ActivationSampler::elliptical:
      return elliptical_activation(x, law, rng);
    default:
      return slice_activation(x, law, rng);
  }
}

ChildrenTerms::ChildrenTerms(const CascadeLayer& layer) {
  const Eigen::MatrixXd scaled = layer.weights * layer.precision.asDiagonal();
  quadratic.noalias() = scaled * layer.weights.transpose();
  linear.noalias() = layer.x * scaled.transpose();
  linear.rowwise() -= (scaled * layer.bias).transpose();
}

void CascadeActivations::visit_layer(int m, const ChildrenTerms& children, const Check& check) {
  const Eigen::MatrixXd means = cascade_.means(m);
  rng_.permutation(cascade_.layers[m].units(), order_);
  for (int k : order_) {
    check();
    visit(cascade_.layers[m], k, means.col(k), children);
  }
}

void CascadeActivations::visit(CascadeLayer& layer, int k, const Eigen::VectorXd& means,
                               const ChildrenTerms& children) {
  const double weight = children.quadratic(k, k);
  const Eigen::VectorXd pull =
      children.linear.col(k) - layer.u * children.quadratic.col(k) + weight * layer.u.col(k);
  for (Eigen::Index n = 0; n < pull.size(); ++n) {
    const ActivationLaw law{means(n), layer.precision(k), weight, pull(n)};
    Rng& rng = of_rows_.empty() ? rng_ : of_rows_[n];
    layer.x(n, k) = draw_activation(layer.x(n, k), law, cascade_.model.sampler, rng);
  }
  layer.u.col(k) = squash(layer.x.col(k));
}

}  // namespace buffet
