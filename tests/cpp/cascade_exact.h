#pragma once

// Densities of a cascade from their definitions, factor by factor.

#include "cascade_joint.h"
#include "quadrature.h"

namespace test {

inline double log_normal(double x, double mean, double precision) {
  return 0.5 * std::log(precision / (2 * M_PI)) - 0.5 * precision * (x - mean) * (x - mean);
}
inline double log_gamma_density(double x, double shape, double rate) {
  return shape * std::log(rate) + (shape - 1) * std::log(x) - rate * x - std::lgamma(shape);
}
inline double log_law(const NormalGamma& prior, const NormalLaw& law) {
  return log_gamma_density(law.precision, prior.shape, prior.rate) +
         log_normal(law.mean, prior.center, prior.weight * law.precision);
}
inline double log_hyper(const Hyper& h, double value) {
  return h.learned ? log_gamma_density(value, h.shape, h.rate) : 0;
}

/// Log probability of distinguishable columns under an Indian buffet process with concentration c.
inline double log_columns(const Eigen::MatrixXi& z, double alpha, double c) {
  const double rows = static_cast<double>(z.rows());
  double sum = 0;
  for (int i = 0; i < z.rows(); ++i) sum -= alpha * c / (c + i);
  for (int j = 0; j < z.cols(); ++j) {
    const double m = z.col(j).sum();
    sum += std::log(alpha * c) + std::lgamma(m) + std::lgamma(rows - m + c) - std::lgamma(rows + c);
  }
  return sum;
}

/// Log density of a layer's x given everything else, omitting entries that are missing in `data`.
inline double log_values(const NaiveCascade& cascade, int m, const CascadeData* data = nullptr) {
  const NaiveLayer& layer = cascade.layers[m];
  double sum = 0;
  for (int n = 0; n < cascade.rows(); ++n)
    for (int k = 0; k < layer.units(); ++k)
      if (data == nullptr || !std::isnan(data->x(n, k)))
        sum += log_normal(layer.x(n, k), cascade.mean(m, n, k), layer.precision(k));
  return sum;
}

inline double log_parameters(const NaiveLayer& layer, const CascadeModel& model, bool visible) {
  double sum = log_hyper(visible ? model.alpha : model.alpha_deep, layer.alpha) +
               log_hyper(model.noise_rate, layer.noise_rate) +
               log_law(model.biases, layer.of_biases);
  if (layer.parents() > 0) sum += log_law(model.weights, layer.of_weights);
  for (int k = 0; k < layer.units(); ++k) {
    sum += log_normal(layer.bias(k), layer.of_biases.mean, layer.of_biases.precision) +
           log_gamma_density(layer.precision(k), model.noise_shape, layer.noise_rate);
    for (int j = 0; j < layer.parents(); ++j)
      if (layer.z(k, j))
        sum += log_normal(layer.w(k, j), layer.of_weights.mean, layer.of_weights.precision);
  }
  return sum;
}

inline double log_joint(const NaiveCascade& cascade, const CascadeModel& model,
                        const CascadeData& data) {
  double sum = log_hyper(model.concentration, cascade.concentration) + data.log_slopes;
  for (int m = 0; m <= cascade.depth(); ++m) {
    const NaiveLayer& layer = cascade.layers[m];
    sum += log_columns(layer.z, layer.alpha, cascade.concentration) +
           log_parameters(layer, model, m == 0) + log_values(cascade, m, m == 0 ? &data : nullptr);
  }
  return sum;
}

/// A random cascade with several layers, and the data that it refers to.
struct RandomCascade {
  CascadeProblem problem;
  NaiveCascade drawn;
  std::unique_ptr<CascadeData> data;
  std::optional<Cascade> cascade;

  /// Draws a cascade with at least this depth.
  RandomCascade(Rng& rng, int depth, bool hides = false) : problem{wide(), "wide", 7, 6, hides} {
    do drawn = problem.draw(rng).cascade;
    while (drawn.depth() < depth);
    set();
  }
  /// Sets the cascade to the state that was drawn.
  void set() {
    data = std::make_unique<CascadeData>(shown(problem, drawn.layers[0].x), 0.37);
    cascade.emplace(*data, problem.model);
    assign(drawn, *cascade);
  }

  static CascadeModel wide() {
    CascadeModel model = small_cascade();
    model.alpha = Hyper::gamma(30, 15);
    model.alpha_deep = Hyper::gamma(20, 20);
    model.concentration = Hyper::gamma(6, 5);
    return model;
  }
};

/// Residual of a unit's values given its bias and all its parents but one.
inline Eigen::VectorXd residual(const NaiveCascade& cascade, int m, int k, int but = -1) {
  Eigen::VectorXd e(cascade.rows());
  for (int n = 0; n < cascade.rows(); ++n) {
    e(n) = cascade.layers[m].x(n, k) - cascade.mean(m, n, k);
    if (but >= 0) e(n) += cascade.layers[m].w(k, but) * cascade.activation(m + 1, n, but);
  }
  return e;
}

inline Eigen::VectorXd activations(const NaiveCascade& cascade, int m, int k) {
  Eigen::VectorXd u(cascade.rows());
  for (int n = 0; n < cascade.rows(); ++n) u(n) = cascade.activation(m, n, k);
  return u;
}

/// The posterior of an edge's weight, and the log Bayes factor for the edge.
struct NaiveEdge {
  double mean, precision, log_ratio;
};

/// The posterior by integrating over the weight; e is the unit's residual without the edge.
inline NaiveEdge integrate_edge(const NormalLaw& prior, double nu, const Eigen::VectorXd& u,
                                const Eigen::VectorXd& e) {
  const auto log_integrand = [&](long double w) {
    long double sum = 0.5L * std::log(static_cast<long double>(prior.precision) / (2 * M_PIl)) -
                      0.5L * prior.precision * (w - prior.mean) * (w - prior.mean);
    for (int n = 0; n < u.size(); ++n)
      sum += 0.5L * nu *
             (static_cast<long double>(e(n)) * e(n) - (e(n) - w * u(n)) * (e(n) - w * u(n)));
    return sum;
  };
  // The parabola through three points, which locates the bulk of the integrand.
  const long double middle = log_integrand(0), up = log_integrand(1), down = log_integrand(-1);
  const long double curve = 2 * middle - up - down, top = (up - down) / (2 * curve);
  const long double most = log_integrand(top), sd = 1 / std::sqrt(curve);
  const auto expected = [&](auto f) {
    return integral([&](long double w) { return f(w) * std::exp(log_integrand(w) - most); },
                    top - 14 * sd, top + 14 * sd, 40);
  };
  const long double total = expected([](long double) { return 1.0L; });
  const long double mean = expected([](long double w) { return w; }) / total;
  const long double variance =
      expected([&](long double w) { return (w - mean) * (w - mean); }) / total;
  return {static_cast<double>(mean), static_cast<double>(1 / variance),
          static_cast<double>(most + std::log(total))};
}

}  // namespace test
