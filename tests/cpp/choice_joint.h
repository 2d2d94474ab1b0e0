#pragma once

#include <memory>
#include <string>
#include <vector>

#include "choice_case.h"
#include "joint.h"
#include "moves.h"

namespace test {

/// Hyperparameters, Z, weights and choices.
struct ChoiceJoint {
  Parameters parameters;
  Features z;
  std::vector<double> w;
  std::vector<double> log_rates;  ///< rate of each feature, under the prior on a tree
  Eigen::MatrixXd x;              ///< how often the row's item was chosen over the column's
};

/// Choices with as many learned hyperparameters as possible.
struct ChoiceModel {
  PriorCase prior;
  int rows;
  std::shared_ptr<const TreeProcess> tree = nullptr;  ///< used instead of an exchangeable prior
  Rates rates = Rates::sampled;
  double epsilon = 0.3, shape = 1.7, rate = 0.6;
  bool blind = false;  ///< no choices are observed

  Model features() const {
    return {prior, rows, 1, Loadings::integrated_out, false, tree, rates, false, blind};
  }
  std::string name() const { return features().name(); }

  /// Some pairs are compared more often than others, some never.
  int judgements(int i, int j) const { return blind ? 0 : (i * i + 2 * j) % 4; }

  ChoiceJoint draw(Rng& rng) const {
    const Joint drawn = features().draw(rng);
    ChoiceJoint joint{drawn.parameters, drawn.z, {}, drawn.log_rates, {}};
    for (int k = 0; k < joint.z.size(); ++k) joint.w.push_back(rng.gamma(shape, rate));
    joint.x = draw_data(joint, rng);
    return joint;
  }

  Eigen::MatrixXd draw_data(const ChoiceJoint& joint, Rng& rng) const {
    const Eigen::MatrixXd z = dense(joint.z);
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(rows, rows);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < i; ++j)
        for (int n = judgements(i, j); n > 0; --n)
          rng.bernoulli(chosen(z, joint.w, i, j, epsilon)) ? ++x(i, j) : ++x(j, i);
    return x;
  }
};

template <class C>
struct ChoiceSimulated {
  using Problem = ChoiceModel;
  using Data = buffet::ChoiceData;
  using Chain = C;
  static constexpr bool rebuilds = false;

  static Data data(const ChoiceModel&, const ChoiceJoint& state) { return as_choices(state.x); }
  static C chain(const ChoiceModel& model, const Data& data, const ChoiceJoint& start, Rng rng) {
    using Prior = decltype(C::prior);
    return {start.z, make_prior(model.features(), static_cast<Prior*>(nullptr)),
            Choice(data, {model.epsilon}, WeightPrior(model.shape, model.rate)), rng};
  }
  static void set(const ChoiceModel& model, const ChoiceJoint& state, C& chain) {
    set_features(chain, state);
    set_weights(chain.likelihood, chain.z, state.w, model.epsilon);
  }
  static void sweep(const ChoiceModel&, C& chain) { test::sweep(chain); }
  static int features(const C& chain) { return chain.z.size(); }
  static ChoiceJoint state(const ChoiceModel&, const ChoiceJoint& given, const C& chain, Rng&) {
    ChoiceJoint state = given;
    read_features(chain, state);
    state.w = chain.likelihood.loadings();
    return state;
  }
  static double log_density(const ChoiceModel& model, const ChoiceJoint& s) {
    return log_lik(dense(s.z), s.w, s.x, model.epsilon);
  }
};

template <class C>
using ChoiceSimulation = Simulation<ChoiceSimulated<C>>;

inline std::vector<Statistic> statistics(const ChoiceJoint& s, const ChoiceModel& model) {
  const Eigen::MatrixXd z = dense(s.z);
  std::vector<Statistic> all;
  add_feature_statistics({s.parameters, {}, s.z, {}, {}, {}}, all);
  double total = 0, squares = 0, copies = 0, agreement = 0, won = 0;
  for (double w : s.w) {
    total += w;
    squares += w * w;
  }
  for (int k = 0; k < s.z.size(); ++k)
    for (int l = 0; l < k; ++l) copies += s.z.column(k) == s.z.column(l);
  for (int i = 0; i < model.rows; ++i)
    for (int j = 0; j < model.rows; ++j)
      if (i != j && s.x(i, j) > 0) {
        agreement += s.x(i, j) * chosen(z, s.w, i, j, model.epsilon);
        won += i < j ? s.x(i, j) : 0;
      }
  all.insert(all.end(), {{"alpha", s.parameters.alpha},
                         {"log alpha", std::log(s.parameters.alpha)},
                         {"log c", std::log(s.parameters.c)},
                         {"sum of weights", total},
                         {"sum of squared weights", squares},
                         {"pairs of equal columns", copies},
                         {"p01", chosen(z, s.w, 0, 1, model.epsilon)},
                         {"p of the last", chosen(z, s.w, 0, model.rows - 1, model.epsilon)},
                         {"choices as expected", agreement},
                         {"choices of the first", won},
                         {"log lik", log_lik(z, s.w, s.x, model.epsilon)}});
  if (model.tree && model.rates == Rates::sampled) add_rate_statistics(s.log_rates, all);
  return all;
}

}  // namespace test
