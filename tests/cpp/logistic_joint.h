#pragma once

#include <memory>
#include <string>
#include <vector>

#include "joint.h"
#include "logistic_case.h"
#include "moves.h"

namespace test {

/// Hyperparameters, Z, weights, bias and data.
struct LogisticJoint {
  Parameters parameters;
  double sigma_a, sigma_b;
  Features z;
  Eigen::MatrixXd w;  ///< D x K
  Eigen::VectorXd b;
  std::vector<double> log_rates;  ///< of each feature, under the prior on a tree
  Eigen::MatrixXd x;              ///< N x D, including entries hidden from the chain

  Eigen::MatrixXd psi() const { return log_odds(dense(z), w, b); }
};

/// A model with learned hyperparameters and optionally learned scales.
struct LogisticModel {
  PriorCase prior;
  int rows, columns;
  bool bias, hides = false, learns = false;
  std::shared_ptr<const TreeProcess> tree = nullptr;  ///< instead of an exchangeable prior
  Rates rates = Rates::sampled;
  bool blind = false;  ///< all entries are missing

  Model features() const {
    return {prior, rows, 1, Loadings::integrated_out, hides, tree, rates, false, blind};
  }
  std::string name() const { return features().name() + (bias ? ", with bias" : ""); }
  static Hyper precision_a() { return Hyper::gamma(2.6, 3.7); }
  static Hyper precision_b() { return Hyper::gamma(3.1, 2.2); }
  LogisticScales scales() const {
    if (!learns) return fixed_scales(1.7, 0.8, bias);
    return {precision_a(), precision_b(), bias};
  }

  /// The draw is within the limits of scales.
  static double draw_sigma(const Hyper& h, Rng& rng) {
    for (;;) {
      const double sigma = 1 / std::sqrt(rng.gamma(h.shape, h.rate));
      if (sigma > 0.01 && sigma < 30) return sigma;
    }
  }

  LogisticJoint draw(Rng& rng) const {
    const Joint drawn = features().draw(rng);
    LogisticJoint joint{drawn.parameters, 1.7, bias ? 0.8 : 1, drawn.z, {}, {},
                        drawn.log_rates,  {}};
    if (learns) joint.sigma_a = draw_sigma(precision_a(), rng);
    if (learns && bias) joint.sigma_b = draw_sigma(precision_b(), rng);
    joint.w = draw_normal(columns, joint.z.size(), joint.sigma_a, rng);
    joint.b = Eigen::VectorXd::Zero(columns);
    if (bias) joint.b = draw_normal(columns, 1, joint.sigma_b, rng);
    joint.x = draw_data(joint, rng);
    return joint;
  }
  Eigen::MatrixXd draw_data(const LogisticJoint& joint, Rng& rng) const {
    return draw_binary(joint.psi(), rng);
  }

  bool is_hidden(int i, int j) const { return features().is_hidden(i, j); }
};

/// Moves whole features in every third sweep.
template <class C>
struct LogisticSimulated {
  using Problem = LogisticModel;
  using Data = BinaryData;
  using Chain = C;
  static constexpr bool rebuilds = false;

  static Data data(const LogisticModel& model, const LogisticJoint& state) {
    return as_binary(shown(model, state.x));
  }
  static C chain(const LogisticModel& model, const Data& data, const LogisticJoint& start,
                 Rng rng) {
    using Prior = decltype(C::prior);
    C chain(start.z, make_prior(model.features(), static_cast<Prior*>(nullptr)),
            {data, model.scales()}, rng);
    chain.likelihood.move_features_every(3);
    return chain;
  }
  static void set(const LogisticModel& model, const LogisticJoint& state, C& chain) {
    set_features(chain, state);
    if (model.learns)
      chain.likelihood.set_scales(1 / (state.sigma_a * state.sigma_a),
                                  1 / (state.sigma_b * state.sigma_b));
    chain.likelihood.set_weights(state.w, state.b);
  }
  static void sweep(const LogisticModel&, C& chain) { test::sweep(chain); }
  static int features(const C& chain) { return chain.z.size(); }

  static LogisticJoint state(const LogisticModel& model, const LogisticJoint& given, const C& chain,
                             Rng& rng) {
    const auto& likelihood = chain.likelihood;
    LogisticJoint state = given;
    read_features(chain, state);
    state.sigma_a = likelihood.scales().sigma_a();
    state.sigma_b = model.bias ? likelihood.scales().sigma_b() : 1;
    state.w = likelihood.weights();
    state.b = likelihood.bias();
    draw_hidden(model, state, rng);
    return state;
  }
  static double log_density(const LogisticModel&, const LogisticJoint& s) {
    return log_lik(s.x, s.psi());
  }
};

template <class C>
using LogisticSimulation = Simulation<LogisticSimulated<C>>;

inline std::vector<Statistic> statistics(const LogisticJoint& s, const LogisticModel& model) {
  std::vector<Statistic> all;
  add_feature_statistics({s.parameters, {}, s.z, {}, {}, {}}, all);
  const Eigen::MatrixXd psi = s.psi(),
                        p = psi.unaryExpr([](double t) { return 1 / (1 + std::exp(-t)); });
  const Eigen::MatrixXd signs = 2 * s.x.array() - 1;
  const Eigen::MatrixXd z = dense(s.z);
  double alike = 0;  // ones that two rows with common features share
  for (int i = 1; i < model.rows && z.cols() > 0; ++i)
    alike += s.x.row(i).dot(s.x.row(i - 1)) * (z.row(i).dot(z.row(i - 1)) > 0);
  const double size = std::max<double>(1, double(s.w.size()));
  all.insert(
      all.end(),
      {{"alpha", s.parameters.alpha},
       {"log alpha", std::log(s.parameters.alpha)},
       {"log c", std::log(s.parameters.c)},
       {"log sigma_a", std::log(s.sigma_a)},
       {"log sigma_b", std::log(s.sigma_b)},
       {"mean w / sigma_a", s.w.sum() / size / s.sigma_a},
       {"mean w^2 / sigma_a^2", s.w.squaredNorm() / size / (s.sigma_a * s.sigma_a)},
       {"mean b^2 / sigma_b^2", s.b.squaredNorm() / double(s.b.size()) / (s.sigma_b * s.sigma_b)},
       {"first p", p(0, 0)},
       {"last p", p(model.rows - 1, model.columns - 1)},
       {"p squared", p.squaredNorm()},
       {"residuals", (s.x - p).sum()},
       {"alignment", signs.cwiseProduct(p).sum()},
       {"shared ones", alike},
       {"log lik", log_lik(s.x, psi)}});
  if (model.tree && model.rates == Rates::sampled) add_rate_statistics(s.log_rates, all);
  return all;
}

}  // namespace test
