#pragma once

#include <type_traits>
#include <utility>

#include "competitor.h"
#include "point/variational/gaussian_joint_factor.h"
#include "point/variational/variational_run.h"

namespace bench {

using FiniteVibp = buffet::Variational<buffet::FiniteProbabilities,
                                       buffet::GaussianFactor<buffet::UntruncatedNormal>>;
using InfiniteVibp = buffet::Variational<buffet::StickProbabilities,
                                         buffet::GaussianFactor<buffet::UntruncatedNormal>>;
using Imf = buffet::Variational<buffet::FiniteProbabilities,
                                buffet::GaussianJointFactor<buffet::UntruncatedNormal>>;
using Inmf = buffet::Variational<buffet::FiniteProbabilities,
                                 buffet::GaussianJointFactor<buffet::NonnegativeNormal>>;

template <class Probabilities>
typename Probabilities::Spec probabilities_for(const buffet::Hyper& alpha, int features) {
  if constexpr (std::is_same_v<Probabilities, buffet::FiniteProbabilities>)
    return {alpha, 1, features};
  else
    return {alpha, features};
}

template <class SoftState>
typename SoftState::Model soft_model(const Model& model, int features) {
  using Probabilities = typename SoftState::Probabilities;
  return {probabilities_for<Probabilities>(model.prior.alpha, features), model.precisions};
}

/// q(A) in the form that densities require.
inline buffet::NormalFit fit_of(const buffet::GaussianFactor<buffet::UntruncatedNormal>& q) {
  return {q.mean(), q.variance(), {}, {}, 1 / q.tau_x().mean()};
}
template <class Loading>
buffet::NormalFit fit_of(const buffet::GaussianJointFactor<Loading>& q) {
  buffet::NormalFit fit{q.mean(), {}, q.covariances(), {}, 1 / q.tau_x().mean()};
  for (int d = 0; d < q.columns(); ++d) fit.covariance_of.push_back(q.covariance_of(d));
  return fit;
}

/// The code that mean-field methods share, given access to the state.
class Soft : public Competitor {
 protected:
  template <class SoftState>
  static double training_of(const SoftState& state) {
    return expected_log_lik(state.factor(), state.data().observed());
  }
  template <class SoftState>
  static Eigen::ArrayXXd density_of(const SoftState& state, const Places& at) {
    const buffet::NormalFit fit = fit_of(state.factor());
    return at_places(at, [&](int i, int h, double value) {
      return buffet::log_density(fit, Eigen::VectorXd(state.z.on.col(i)), at.problem.columns[h],
                                 value);
    });
  }
};

/// Mean-field inference from a single start, with the hyperparameters used in the paper.
template <class SoftState>
class OneAscent : public Soft {
 public:
  using Ascent = buffet::SoftAscent<SoftState>;

  OneAscent(const Entry& e, bool grows) : grows_(grows), ascent_(start(e, grows)) {}

  void iterate() override {
    ascent_.step([] {});
  }
  double training() const override { return training_of(ascent_.result()); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return density_of(ascent_.result(), at);
  }
  int features() const override { return ascent_.result().z.size(); }
  Ending ending() const override {
    if (ascent_.finished()) return Ending::by_itself;
    const bool on_way = grows_ || ascent_.done() < Ascent::annealed().annealing;
    return on_way ? Ending::not_yet : Ending::by_rule;
  }

 private:
  static Ascent start(const Entry& e, bool grows) {
    buffet::Rng rng(e.seed);
    SoftState state(e.input.data, soft_model<SoftState>(e.papers(), e.features), 1);
    for (int k = 0; !grows && k < e.features; ++k)
      state.add(Eigen::VectorXd::NullaryExpr(e.input.data.rows(), [&] { return rng.uniform(); }),
                Eigen::VectorXd::Zero(e.input.data.columns));
    state.settle([] {});
    buffet::VariationalPlan plan;
    plan.max_features = e.features;
    if (!grows) plan.tol = 1e-7;  // the stopping rule of the comparison takes effect before this
    return Ascent(std::move(state), rng, grows ? Ascent::growing() : Ascent::annealed(), plan);
  }

  bool grows_;
  Ascent ascent_;
};

/// Mean-field inference with buffet's defaults: both kinds of start, and learned hyperparameters.
template <class SoftState>
class DefaultSoft : public Soft {
 public:
  explicit DefaultSoft(const Entry& e)
      : run_(e.input.data, plan(e), soft_model<SoftState>(learned(), e.features)) {
    run_.start({buffet::Features(e.input.data.rows()), std::uint64_t(e.seed), NAN, NAN}, [] {});
  }

  void iterate() override {
    run_.step([] {});
  }
  double training() const override { return training_of(run_.best().result()); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return density_of(run_.best().result(), at);
  }
  int features() const override { return run_.best().result().z.size(); }
  Ending ending() const override { return run_.finished() ? Ending::by_itself : Ending::not_yet; }

 private:
  static buffet::VariationalPlan plan(const Entry& e) {
    buffet::VariationalPlan plan;
    plan.max_features = e.features;
    return plan;
  }

  buffet::VariationalRun<SoftState> run_;
};

}  // namespace bench
