#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "attraction_case.h"
#include "draws.h"
#include "joint_checks.h"
#include "moves.h"
#include "scales.h"
#include "simulation.h"
#include "statistics.h"
#include "tree_case.h"

namespace test {

/// All variables: hyperparameters, Z, A and X.
struct Joint {
  Parameters parameters;
  Scales sigma;
  Features z;
  Eigen::MatrixXd a;              ///< K x D; empty if loadings are integrated out
  Eigen::MatrixXd x;              ///< N x D, including entries that are hidden from the chain
  std::vector<double> log_rates;  ///< rate of each feature, under the prior on a tree
};

enum class Loadings { integrated_out, normal, nonnegative };

/// A model whose hyperparameters are all learned.
struct Model {
  PriorCase prior;
  int rows, columns;
  Loadings loadings = Loadings::integrated_out;
  bool hides = false;  ///< a third of the entries, and the whole second row
  std::shared_ptr<const TreeProcess> tree = nullptr;  ///< used instead of an exchangeable prior
  Rates rates = Rates::sampled;
  bool own_noise = false;  ///< a separate noise precision for every column
  bool blind = false;      ///< all entries are missing
  std::shared_ptr<const RawAttraction> attraction = nullptr;  ///< used instead of either

  static Hyper alpha() { return Hyper::gamma(3.5, 2.2); }
  Exchangeable::Spec spec() const {
    const auto& p = prior.parameters;
    return {alpha(), prior.learns_c ? Hyper::gamma(2.7, 1.6) : Hyper::fixed(p.c), p.discount,
            p.n_features};
  }
  static buffet::Precisions precisions() {
    return {Hyper::gamma(4.2, 1.7), Hyper::gamma(5.1, 3.3)};
  }

  bool is_hidden(int i, int d) const { return blind || (hides && is_among_hidden(i, d)); }

  std::string name() const {
    const char* of_tree = rates == Rates::sampled ? "tree, pi in the state" : "tree";
    return (attraction ? "attraction"
            : tree     ? of_tree
                       : prior.name) +
           (hides ? ", entries missing" : "") + (blind ? ", no data" : "") +
           (own_noise ? ", noise per column" : "");
  }

  Joint draw(Rng& rng) const {
    Parameters p = prior.parameters;
    p.alpha = rng.gamma(3.5, 2.2);
    if (prior.learns_c) p.c = rng.gamma(2.7, 1.6);
    Joint joint{p, draw_scales(rng), Features(rows), {}, {}, {}};
    joint.z = attraction ? attraction->draw(p.alpha, rng)
              : tree     ? tree->draw(p.alpha, rng, joint.log_rates)
                         : draw_features(rows, p, rng);
    if (loadings != Loadings::integrated_out)
      joint.a = draw_normal(joint.z.size(), columns, joint.sigma.a, rng);
    if (loadings == Loadings::nonnegative) joint.a = joint.a.cwiseAbs();
    joint.x = draw_data(joint, rng);
    return joint;
  }

  Scales draw_scales(Rng& rng) const {
    const double tau_x = rng.gamma(4.2, 1.7), tau_a = rng.gamma(5.1, 3.3);
    Scales sigma{1 / std::sqrt(tau_x), 1 / std::sqrt(tau_a)};
    if (!own_noise) return sigma;
    double squares = 0;
    for (int d = 0; d < columns; ++d) {
      sigma.columns.push_back(1 / std::sqrt(rng.gamma(4.2, 1.7)));
      squares += sigma.columns[d] * sigma.columns[d];
    }
    sigma.x = std::sqrt(squares / columns);
    return sigma;
  }

  /// X given everything else.
  Eigen::MatrixXd draw_data(const Joint& joint, Rng& rng) const {
    if (loadings == Loadings::integrated_out)
      return test::draw_data(joint.z, columns, joint.sigma, rng);
    Eigen::MatrixXd x = draw_noise(rows, columns, joint.sigma, rng);
    if (joint.z.size() > 0) x += dense(joint.z) * joint.a;
    return x;
  }
};

inline Exchangeable make_prior(const Model& model, Exchangeable*) {
  return {model.rows, model.spec()};
}
inline buffet::Sticks make_prior(const Model& model, buffet::Sticks*) {
  return {model.rows, model.spec()};
}
inline Phylogenetic make_prior(const Model& model, Phylogenetic*) {
  return phylogenetic(model.tree->raw(), Model::alpha(), model.rates);
}

inline Attraction make_prior(const Model& model, Attraction*) {
  return attraction(*model.attraction, Model::alpha());
}

template <class C>
struct GaussianSimulated {
  using Problem = Model;
  using Data = buffet::GaussianData;
  using Chain = C;
  static constexpr bool rebuilds = false;
  static constexpr bool collapsed =
      std::is_same_v<decltype(C::likelihood), buffet::GaussianCollapsed>;

  static Data data(const Model& model, const Joint& state) {
    // If loadings are integrated out, complete data with more columns than rows are rotated.
    return Data(Eigen::MatrixXd(shown(model, state.x).transpose()), collapsed);
  }
  static C chain(const Model& model, const Data& data, const Joint& start, Rng rng) {
    using Prior = decltype(C::prior);
    return {
        start.z, make_prior(model, static_cast<Prior*>(nullptr)), {data, Model::precisions()}, rng};
  }

  static void set(const Model& model, const Joint& state, C& chain) {
    set_features(chain, state);
    set_scales(chain.likelihood, state.sigma);
    if constexpr (collapsed) set_hidden(model, state, chain);
    chain.likelihood.reset(chain.z);
    if constexpr (!collapsed) set_loadings(chain.likelihood, state.a.transpose());
  }

  static void sweep(const Model&, C& chain) { test::sweep(chain); }
  static int features(const C& chain) { return chain.z.size(); }

  static Joint state(const Model& model, const Joint& given, const C& chain, Rng& rng) {
    Joint state = given;
    read_features(chain, state);
    state.sigma = scales_of(chain.likelihood);
    if constexpr (collapsed) {
      chain.likelihood.completed().for_all_hidden(
          [&](int i, int d, double value) { state.x(i, d) = value; });
    } else {
      state.a = loadings_of(chain.likelihood).transpose();
      // The other likelihoods integrate the missing entries out.
      draw_hidden(model, state, rng);
    }
    return state;
  }

  /// log p(complete data | the rest of the state).
  static double log_density(const Model& model, const Joint& s) {
    if (collapsed) return log_lik(dense(s.z), s.x, s.sigma);
    double sum = 0;
    const Eigen::MatrixXd rest = s.z.size() > 0 ? Eigen::MatrixXd(s.x - dense(s.z) * s.a) : s.x;
    for (int d = 0; d < model.columns; ++d) {
      const double tau = s.sigma.precision_x(d);
      sum += 0.5 * (model.rows * std::log(tau) - tau * rest.col(d).squaredNorm());
    }
    return sum;
  }

 private:
  /// The values that a collapsed chain has for missing entries are part of its state.
  static void set_hidden(const Model& model, const Joint& state, C& chain) {
    auto& completed = chain.likelihood.completed();
    for (int i = 0; i < model.rows; ++i) {
      auto values = completed.hidden(i);
      int h = 0;
      chain.likelihood.data().for_hidden(i, [&](int d) { values(h++) = state.x(i, d); });
    }
  }
};

template <class C>
using SimulationOf = Simulation<GaussianSimulated<C>>;

inline void add_feature_statistics(const Joint& s, std::vector<Statistic>& to) {
  const Features& z = s.z;
  double singletons = 0, full = 0, first = 0, last = 0, together = 0;
  for (int k = 0; k < z.size(); ++k) {
    singletons += z.count(k) == 1;
    full += z.count(k) == z.rows();
    first += z.at(0, k);
    last += z.at(z.rows() - 1, k);
    together += z.at(0, k) && z.at(1, k);
  }
  to.insert(to.end(), {{"K+", double(z.size())},
                       {"sum Z", double(z.total())},
                       {"singletons", singletons},
                       {"full columns", full},
                       {"ones of the first row", first},
                       {"ones of the last row", last},
                       {"z1.z2", together}});
}

/// pi of the features, if it is in the state.
inline void add_rate_statistics(const std::vector<double>& log_rates, std::vector<Statistic>& to) {
  double sum = 0, logs = 0;
  for (double y : log_rates) {
    sum += -std::expm1(-std::exp(y));
    logs += std::log(-std::expm1(-std::exp(y)));
  }
  const double size = log_rates.empty() ? 1 : double(log_rates.size());
  to.insert(to.end(), {{"sum of pi", sum}, {"mean pi", sum / size}, {"mean log pi", logs / size}});
}

/// Statistics of the noise of columns that their root mean square does not reveal.
inline void add_noise_statistics(const Scales& sigma, std::vector<Statistic>& to) {
  const double first = std::log(sigma.columns.front()), last = std::log(sigma.columns.back());
  to.insert(to.end(), {{"log sigma of the first column", first},
                       {"log sigma of the last column", last},
                       {"product of those", first * last}});
}

/// Joint statistics of A and X; shares and alignments are bounded.
inline void add_loadings_statistics(const Joint& s, std::vector<Statistic>& to) {
  const bool none = s.a.size() == 0;
  const Eigen::MatrixXd fit =
      none ? Eigen::MatrixXd::Zero(s.x.rows(), s.x.cols()) : Eigen::MatrixXd(dense(s.z) * s.a);
  const Eigen::MatrixXd rest = s.x - fit;
  double scaled_rest = 0;
  for (int d = 0; d < rest.cols(); ++d)
    scaled_rest += rest.col(d).squaredNorm() * s.sigma.precision_x(d);
  to.insert(
      to.end(),
      {{"log mean a^2", none ? 0 : std::log(s.a.squaredNorm() / s.a.size())},
       {"mean a / sigma_a", none ? 0 : s.a.mean() / s.sigma.a},
       {"mean a^2 / sigma_a^2", none ? 0 : s.a.squaredNorm() / s.a.size() / std::pow(s.sigma.a, 2)},
       {"X on ZA", s.x.cwiseProduct(fit).sum() / (s.x.squaredNorm() + fit.squaredNorm())},
       {"log mean e^2", std::log(rest.squaredNorm() / s.x.size())},
       {"mean e^2 / sigma_x^2", scaled_rest / s.x.size()}});
}

/// The alignment is the bounded quantity tr(XX' ZZ') / (tr XX' (1 + sum Z)).
inline std::vector<Statistic> statistics(const Joint& s, const Model& model) {
  std::vector<Statistic> all;
  add_feature_statistics(s, all);
  const double squares = s.x.squaredNorm();
  const double fit = s.z.size() > 0 ? (s.x.transpose() * dense(s.z)).squaredNorm() : 0;
  double hidden = 0;
  for (int i = 0; i < model.rows; ++i)
    for (int d = 0; d < model.columns; ++d)
      if (model.is_hidden(i, d)) hidden += s.x(i, d) * s.x(i, d);
  all.insert(all.end(), {{"alpha", s.parameters.alpha},
                         {"log alpha", std::log(s.parameters.alpha)},
                         {"log c", std::log(s.parameters.c)},
                         {"sigma_x", s.sigma.x},
                         {"log sigma_x", std::log(s.sigma.x)},
                         {"log sigma_a", std::log(s.sigma.a)},
                         {"log lik", log_lik(dense(s.z), s.x, s.sigma)},
                         {"log mean x^2", std::log(squares / s.x.size())},
                         {"share of hidden entries in x^2", hidden / squares},
                         {"alignment", fit / (squares * (1 + s.z.total()))}});
  if (model.loadings != Loadings::integrated_out) add_loadings_statistics(s, all);
  if (model.own_noise) add_noise_statistics(s.sigma, all);
  if (model.tree && model.rates == Rates::sampled) add_rate_statistics(s.log_rates, all);
  return all;
}

/// Five rows and three columns under every prior, with and without missing entries; the quick tier
/// runs half of these combinations.
template <class S>
void check_all_steps(Loadings loadings, bool own_noise = false) {
  for (bool hides : {false, true})
    for (int n : {0, 1, 2, 3})
      if (full() || hides == (n % 2 == 1))
        check_steps_from_prior<S>(
            {prior_cases()[n], 5, 3, loadings, hides, nullptr, Rates::sampled, own_noise});
}

/// Long runs of the same size under the one-parameter and the finite prior.
template <class S>
void check_long_runs(Loadings loadings, bool own_noise = false) {
  for (bool hides : {false, true})
    for (int n : {0, 3})
      if (full() || hides == (n == 0))
        check_long_run<S>(
            {prior_cases()[n], 5, 3, loadings, hides, nullptr, Rates::sampled, own_noise});
}

}  // namespace test
