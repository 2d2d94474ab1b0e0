#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "factor/weights_jointly.h"
#include "factor/weights_singly.h"
#include "gibbs/gibbs.h"
#include "joint.h"

namespace test {

using buffet::NoiseOf;

/// Hyperparameters, Z, V, A and X; the precisions of the noise are stored as in FactorNoise.
struct FactorJoint {
  Parameters parameters;
  Eigen::ArrayXd noise;
  double sigma_a = 1;
  Eigen::ArrayXd local;  ///< precisions of the loadings of each feature, relative to the common one
  Features z{1};
  Eigen::MatrixXd v, a, x;  ///< N x K, K x D, N x D
  std::vector<double> log_rates;
};

/// Weighted features whose hyperparameters are all learned.
template <class Law>
struct FactorModel {
  PriorCase prior;
  int rows, columns;
  NoiseOf noise;
  bool hides = false;
  bool local = false;
  std::shared_ptr<const TreeProcess> tree = nullptr;
  std::shared_ptr<const RawAttraction> attraction = nullptr;

  Model features() const {
    return {prior, rows,  columns,   Loadings::integrated_out, hides, tree, Rates::sampled,
            false, false, attraction};
  }
  std::string name() const {
    const char* of[] = {"", ", noise per row", ", noise per column"};
    return features().name() + of[static_cast<int>(noise)] + (local ? ", scales by feature" : "");
  }
  bool is_hidden(int i, int d) const { return features().is_hidden(i, d); }
  static Hyper noise_prior() { return Hyper::gamma(4.2, 1.7); }
  /// A rate for the prior of each precision.
  Eigen::ArrayXd noise_rates() const {
    const int size = noise == NoiseOf::all ? 1 : noise == NoiseOf::row ? rows : columns;
    return 1.7 * Eigen::ArrayXd::LinSpaced(size, 1.5, 1);
  }
  static Hyper a_prior() { return Hyper::gamma(5.1, 3.3); }

  FactorJoint draw(Rng& rng) const {
    const Joint drawn = features().draw(rng);
    FactorJoint joint;
    joint.parameters = drawn.parameters;
    joint.z = drawn.z;
    joint.log_rates = drawn.log_rates;
    joint.noise = noise_rates();
    for (Eigen::Index n = 0; n < joint.noise.size(); ++n)
      joint.noise(n) = rng.gamma(4.2, joint.noise(n));
    joint.sigma_a = 1 / std::sqrt(rng.gamma(5.1, 3.3));
    joint.v = dense(joint.z);
    for (Eigen::Index n = 0; n < joint.v.size(); ++n)
      if (joint.v(n) > 0) joint.v(n) = Law::draw(rng);
    joint.local = Eigen::ArrayXd::Ones(joint.z.size());
    if (local)
      for (int k = 0; k < joint.z.size(); ++k) joint.local(k) = -std::log(rng.uniform());
    joint.a = sds(joint).asDiagonal() * draw_normal(joint.z.size(), columns, 1, rng);
    joint.x = draw_data(joint, rng);
    return joint;
  }
  /// Standard deviations of the loadings of each feature.
  static Eigen::VectorXd sds(const FactorJoint& s) { return s.sigma_a * s.local.rsqrt(); }
  double precision(const FactorJoint& s, int i, int d) const {
    return s.noise(noise == NoiseOf::all ? 0 : noise == NoiseOf::row ? i : d);
  }
  Eigen::MatrixXd draw_data(const FactorJoint& s, Rng& rng) const {
    Eigen::MatrixXd x = draw_normal(rows, columns, 1, rng);
    for (int i = 0; i < rows; ++i)
      for (int d = 0; d < columns; ++d) x(i, d) /= std::sqrt(precision(s, i, d));
    if (s.z.size() > 0) x += s.v * s.a;
    return x;
  }
};

template <class C, class Law>
struct FactorSimulated {
  using Problem = FactorModel<Law>;
  using Data = buffet::GaussianData;
  using Chain = C;
  static constexpr bool rebuilds = true;

  static Data data(const Problem& model, const FactorJoint& state) {
    return Data(Eigen::MatrixXd(shown(model, state.x).transpose()), false);
  }
  static C chain(const Problem& model, const Data& data, const FactorJoint& start, Rng rng) {
    using Prior = decltype(C::prior);
    buffet::FactorNoise noise(model.rows, model.columns, model.noise, Problem::noise_prior());
    if (model.noise != NoiseOf::all) noise.set_rates(model.noise_rates());
    return {start.z,
            make_prior(model.features(), static_cast<Prior*>(nullptr)),
            {data, noise, {Problem::a_prior(), model.local}},
            rng};
  }
  static void set(const Problem&, const FactorJoint& state, C& chain) {
    set_features(chain, state);
    chain.likelihood.set(state.a.transpose(), state.v);
    chain.likelihood.set_precisions(state.noise, 1 / (state.sigma_a * state.sigma_a));
    chain.likelihood.set_local_precisions(state.local);
  }
  static void sweep(const Problem&, C& chain) { chain.sweep(); }
  static int features(const C& chain) { return chain.z.size(); }

  static FactorJoint state(const Problem& model, const FactorJoint& given, const C& chain,
                           Rng& rng) {
    FactorJoint state = given;
    read_features(chain, state);
    state.v = chain.likelihood.weights();
    state.a = chain.likelihood.factors().transpose();
    state.sigma_a = chain.likelihood.sigma_a();
    state.local = chain.likelihood.scales().local();
    const auto& noise = chain.likelihood.noise().own();
    state.noise = model.noise == NoiseOf::all ? noise.head(1).eval() : noise;
    draw_hidden(model, state, rng);
    return state;
  }
};

template <class C, class Law>
using FactorSimulation = Simulation<FactorSimulated<C, Law>>;

template <class Law>
std::vector<Statistic> statistics(const FactorJoint& s, const FactorModel<Law>& model) {
  std::vector<Statistic> all;
  add_feature_statistics({s.parameters, {}, s.z, {}, {}, {}}, all);
  const bool none = s.z.size() == 0;
  const Eigen::MatrixXd fit =
      none ? Eigen::MatrixXd::Zero(model.rows, model.columns) : Eigen::MatrixXd(s.v * s.a);
  double standardised = 0, zeros = 0, own = 0, own_local = 0;
  for (int i = 0; i < model.rows; ++i)
    for (int d = 0; d < model.columns; ++d)
      standardised += std::pow(s.x(i, d) - fit(i, d), 2) * model.precision(s, i, d);
  for (int k = 0; k < s.z.size(); ++k) {
    if (s.z.count(k) == 1) {
      own += std::log(s.v.col(k).squaredNorm());
      own_local += std::log(s.local(k));
    }
    for (int i = 0; i < model.rows; ++i) zeros += s.z.at(i, k) != (s.v(i, k) != 0);
  }
  const double cells = model.rows * model.columns, ones = std::max(1, s.z.total());
  const double size = std::max<double>(1, s.a.size());
  const double squares = none ? 0 : (s.local.matrix().asDiagonal() * s.a).cwiseProduct(s.a).sum();
  const double agreement = s.x.cwiseProduct(fit).sum() / (s.x.squaredNorm() + fit.squaredNorm());
  all.insert(all.end(), {{"alpha", s.parameters.alpha},
                         {"log c", std::log(s.parameters.c)},
                         {"log sigma_a", std::log(s.sigma_a)},
                         {"log first noise", std::log(s.noise(0))},
                         {"log last noise", std::log(s.noise(s.noise.size() - 1))},
                         {"sum of log noise", s.noise.log().sum()},
                         {"weights of zeros and ones", zeros},
                         {"mean v", s.v.sum() / ones},
                         {"log sizes of v", std::log1p(s.v.cwiseAbs().sum())},
                         {"log sizes of a", std::log1p(s.a.cwiseAbs().sum())},
                         {"mean |v|", s.v.cwiseAbs().sum() / ones},
                         {"mean v^2", s.v.squaredNorm() / ones},
                         {"log v^2 of own features", own},
                         {"mean a^2 over variance", squares / size / std::pow(s.sigma_a, 2)},
                         {"log of local precisions", s.local.log().sum()},
                         {"and those of own features", own_local},
                         {"log mean x^2", std::log(s.x.squaredNorm() / cells)},
                         {"log fit^2", std::log(1 + fit.squaredNorm())},
                         {"x on fit", agreement},
                         {"mean standardised e^2", standardised / cells}});
  if (model.tree) add_rate_statistics(s.log_rates, all);
  return all;
}

}  // namespace test
