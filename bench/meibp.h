#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "point/factor/gaussian_factor_predict.h"
#include "point/meibp/meibp_run.h"
#include "prior/exchangeable.h"
#include "workloads.h"

namespace bench {

using State = buffet::Meibp;
using Maximisation = buffet::MeibpRun;
using Model = Maximisation::Model;

/// Gamma(1, 1) priors on alpha and both precisions.
inline Model learned() {
  const buffet::Hyper hyper = buffet::Hyper::gamma(1, 1);
  return {{hyper}, {hyper, hyper}};
}
inline Model fixed(double alpha, double sigma_x, double sigma_a) {
  const auto precision = [](double sigma) { return buffet::Hyper::fixed(1 / (sigma * sigma)); };
  return {{buffet::Hyper::fixed(alpha)}, {precision(sigma_x), precision(sigma_a)}};
}

/// Data in the form that a maximisation needs.
struct Input {
  buffet::GaussianData x;
  buffet::AscentData data;

  /// From a dense or sparse matrix with one observation per column.
  template <class Matrix>
  explicit Input(const Matrix& columns) : x(columns, false), data(buffet::Source(x), x.columns()) {}
  Input(const Input&) = delete;
};

inline buffet::MeibpPlan plan_for(int max_features) {
  buffet::MeibpPlan plan;
  plan.max_features = max_features;
  return plan;
}

/// A state without features.
inline State empty_state(const Input& input, const buffet::MeibpPlan& plan, const Model& model) {
  return State(input.data, plan, buffet::Exchangeable(input.data.rows(), model.prior),
               model.precisions);
}

/// The initial state in the paper, which is also the default: max_features columns of
/// Bernoulli(1/3) and small loadings.
inline State random_start(State state, buffet::Rng& rng) {
  const int rows = state.data().rows(), columns = state.data().columns;
  const double size = 0.05 * state.data().root_mean_square();
  for (int k = 0; k < state.plan().max_features; ++k) {
    buffet::Bits column(rows);
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(1.0 / 3)) column.set(i);
    const Eigen::VectorXd loading =
        Eigen::VectorXd::NullaryExpr(columns, [&] { return std::abs(size * rng.normal()); });
    state.add(std::move(column), loading);
  }
  state.settle(state.passes());
  return state;
}

/// A state with given features.
inline State state_at(State state, const buffet::Features& z) {
  for (int k = 0; k < z.size(); ++k)
    state.add(z.column(k), Eigen::VectorXd::Zero(state.data().columns));
  state.settle(state.passes());
  return state;
}

/// A maximisation from default starts or, if there are any, from these features.
inline buffet::AscentStart start_at(buffet::Features z, std::uint64_t seed) {
  return {std::move(z), seed, NAN, NAN};
}

/// Log density per held-out entry, over every `step`-th row that lacks entries.
inline double held_out_density(const State& state, const NonnegativeSet& set, int step = 1) {
  const buffet::NonnegativeFit fit{state.factor().location(), state.factor().scale(),
                                   1 / state.factor().tau_x().mean()};
  const int from = state.z.rows() - static_cast<int>(set.held_out.cols());
  double sum = 0, entries = 0;
  for (int n = 0; n < set.held_out.cols(); n += step) {
    std::vector<int> features;
    for (int k = 0; k < state.z.size(); ++k)
      if (state.z.at(from + n, k)) features.push_back(k);
    for (std::size_t h = 0; h < set.hidden.size(); ++h)
      sum += buffet::log_density(fit, features, set.hidden[h],
                                 buffet::Noisy{set.held_out(h, n), fit.variance});
    entries += static_cast<double>(set.hidden.size());
  }
  return sum / entries;
}

}  // namespace bench
