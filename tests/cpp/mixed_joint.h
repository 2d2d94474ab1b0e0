#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gibbs/gibbs.h"
#include "joint.h"
#include "mixed/binomial_family.h"
#include "mixed/categorical_family.h"
#include "mixed/mixed.h"
#include "mixed/negative_binomial_family.h"
#include "mixed/normal_family.h"
#include "mixed/ordinal_family.h"
#include "moves.h"

namespace test {

using buffet::AnyFamily;
using buffet::LogisticScales;
using buffet::MixedData;

using MixedChain = buffet::Gibbs<Exchangeable, buffet::Mixed>;
using AttractionMixedChain = buffet::Gibbs<Attraction, buffet::Mixed>;
using TreeMixedChain = buffet::Gibbs<Phylogenetic, buffet::Mixed>;

/// Hyperparameters, Z, weights, bias, parameters of families, and data.
struct MixedJoint {
  Parameters parameters;
  double sigma_a, sigma_b;
  Features z;
  Eigen::MatrixXd w;  ///< predictors x K
  Eigen::VectorXd b;
  buffet::Families families;
  std::vector<double> log_rates;
  Eigen::MatrixXd x;  ///< N x columns, including entries that are hidden from the chain

  Eigen::MatrixXd eta() const {
    Eigen::MatrixXd eta = b.replicate(1, z.rows());
    if (z.size() > 0) eta += w * dense(z).transpose();
    return eta;
  }
};

/// One column from each family, or from the requested ones.
inline buffet::Families families_of(const std::string& kinds, bool bias) {
  std::vector<AnyFamily> all;
  for (char kind : kinds) {
    if (kind == 'g') all.push_back(buffet::family<buffet::NormalFamily>(Hyper::gamma(3.2, 2.1)));
    if (kind == 'b') all.push_back(buffet::family<buffet::BinomialFamily>(1));
    if (kind == 'B') all.push_back(buffet::family<buffet::BinomialFamily>(3));
    if (kind == 'n') all.push_back(buffet::family<buffet::NegativeBinomialFamily>(0.4));
    if (kind == 'p') all.push_back(buffet::family<buffet::NegativeBinomialFamily>(0.4, 50.0));
    if (kind == 'o') all.push_back(buffet::family<buffet::OrdinalFamily>(4, bias));
    if (kind == 'c') all.push_back(buffet::family<buffet::CategoricalFamily>(3));
  }
  return all;
}

struct MixedModel {
  PriorCase prior;
  int rows;
  std::string kinds;
  bool bias, hides = false;
  std::shared_ptr<const TreeProcess> tree = nullptr;
  Rates rates = Rates::sampled;
  bool blind = false;
  std::shared_ptr<const RawAttraction> attraction = nullptr;

  Model features() const {
    return {prior, rows, 1, Loadings::integrated_out, hides, tree, rates, false, blind, attraction};
  }
  std::string name() const {
    return features().name() + ", " + kinds + (bias ? ", with bias" : "");
  }
  buffet::Families families() const { return families_of(kinds, bias); }
  static Hyper precision_a() { return Hyper::gamma(4.6, 3.7); }
  static Hyper precision_b() { return Hyper::gamma(5.1, 2.2); }
  LogisticScales scales() const { return {precision_a(), precision_b(), bias}; }

  static double draw_sigma(const Hyper& h, Rng& rng) {
    return 1 / std::sqrt(rng.gamma(h.shape, h.rate));
  }

  MixedJoint draw(Rng& rng) const {
    const Joint drawn = features().draw(rng);
    MixedJoint joint{drawn.parameters,
                     draw_sigma(precision_a(), rng),
                     bias ? draw_sigma(precision_b(), rng) : 1,
                     drawn.z,
                     {},
                     {},
                     families(),
                     drawn.log_rates,
                     {}};
    int width = 0;
    for (AnyFamily& family : joint.families) {
      family->draw_prior(rng);
      width += family->width();
    }
    joint.w = draw_normal(width, joint.z.size(), joint.sigma_a, rng);
    joint.b = Eigen::VectorXd::Zero(width);
    if (bias) joint.b = draw_normal(width, 1, joint.sigma_b, rng);
    joint.x = draw_data(joint, rng);
    return joint;
  }
  Eigen::MatrixXd draw_data(const MixedJoint& joint, Rng& rng) const {
    const Eigen::MatrixXd eta = joint.eta();
    Eigen::MatrixXd x(rows, joint.families.size());
    for (int i = 0; i < rows; ++i) {
      const double* at = eta.data() + i * eta.rows();
      for (int j = 0; j < joint.families.size(); ++j) {
        x(i, j) = joint.families[j]->draw(at, rng);
        at += joint.families[j]->width();
      }
    }
    return x;
  }

  bool is_hidden(int i, int j) const { return features().is_hidden(i, j); }
};

template <class C>
struct MixedSimulated {
  using Problem = MixedModel;
  using Data = MixedData;
  using Chain = C;
  static constexpr bool rebuilds = false;

  static Data data(const MixedModel& model, const MixedJoint& state) {
    return MixedData(shown(model, state.x).transpose(), state.families);
  }
  static C chain(const MixedModel& model, const Data& data, const MixedJoint& start, Rng rng) {
    using Prior = decltype(C::prior);
    return {start.z,
            make_prior(model.features(), static_cast<Prior*>(nullptr)),
            {data, start.families, model.scales()},
            rng};
  }
  static void set(const MixedModel&, const MixedJoint& state, C& chain) {
    set_features(chain, state);
    chain.likelihood.set_scales(1 / (state.sigma_a * state.sigma_a),
                                1 / (state.sigma_b * state.sigma_b));
    chain.likelihood.families() = state.families;
    chain.likelihood.set_weights(state.w, state.b);
  }
  static void sweep(const MixedModel&, C& chain) { chain.sweep(); }
  static int features(const C& chain) { return chain.z.size(); }

  static MixedJoint state(const MixedModel& model, const MixedJoint& given, const C& chain,
                          Rng& rng) {
    const auto& likelihood = chain.likelihood;
    MixedJoint state = given;
    read_features(chain, state);
    state.sigma_a = likelihood.scales().sigma_a();
    state.sigma_b = model.bias ? likelihood.scales().sigma_b() : 1;
    state.w = likelihood.weights();
    state.b = likelihood.bias();
    state.families = likelihood.families();
    draw_hidden(model, state, rng);
    return state;
  }
  static double log_density(const MixedModel&, const MixedJoint& s) {
    const Eigen::MatrixXd eta = s.eta();
    double sum = 0;
    for (int i = 0; i < s.x.rows(); ++i) {
      const double* at = eta.data() + i * eta.rows();
      for (int j = 0; j < s.families.size(); ++j) {
        sum += s.families[j]->log_density(s.x(i, j), at);
        at += s.families[j]->width();
      }
    }
    return sum;
  }
};

template <class C>
using MixedSimulation = Simulation<MixedSimulated<C>>;

/// Copies a name so that the copy lives as long as the program.
inline const char* lasting(const std::string& name) {
  static std::set<std::string> all;
  return all.insert(name).first->c_str();
}

inline std::vector<Statistic> statistics(const MixedJoint& s, const MixedModel& model) {
  std::vector<Statistic> all;
  add_feature_statistics({s.parameters, {}, s.z, {}, {}, {}}, all);
  const double size = std::max<double>(1, double(s.w.size()));
  const Eigen::MatrixXd eta = s.eta();
  all.insert(
      all.end(),
      {{"alpha", s.parameters.alpha},
       {"log sigma_a", std::log(s.sigma_a)},
       {"log sigma_b", std::log(s.sigma_b)},
       {"mean w / sigma_a", s.w.sum() / size / s.sigma_a},
       {"mean w^2 / sigma_a^2", s.w.squaredNorm() / size / (s.sigma_a * s.sigma_a)},
       {"mean b^2 / sigma_b^2", s.b.squaredNorm() / double(s.b.size()) / (s.sigma_b * s.sigma_b)},
       {"tanh of eta", eta.array().tanh().sum()},
       {"log density", std::tanh(MixedSimulated<MixedChain>::log_density(model, s) / 20)}});
  int at = 0;
  for (int j = 0; j < s.families.size(); ++j) {
    const std::string name = std::string(1, model.kinds[j]) + std::to_string(j) + ": ";
    std::vector<double> own(s.families[j]->parameters());
    s.families[j]->get(own.data());
    for (std::size_t n = 0; n < own.size(); ++n)
      all.push_back({lasting(name + "parameter " + std::to_string(n)), std::tanh(own[n] / 3)});
    double aligned = 0, squares = 0;
    for (int i = 0; i < s.x.rows(); ++i) {
      const double x = std::tanh(0.5 * s.x(i, j));
      aligned += x * std::tanh(eta(at, i));
      squares += x * x;
    }
    all.push_back({lasting(name + "x aligned"), aligned});
    all.push_back({lasting(name + "x^2"), squares});
    at += s.families[j]->width();
  }
  if (model.tree && model.rates == Rates::sampled) add_rate_statistics(s.log_rates, all);
  return all;
}

}  // namespace test
