#pragma once

#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "competitor.h"
#include "gaussian/gaussian_collapsed.h"
#include "gaussian/gaussian_nonnegative.h"
#include "gibbs/gibbs.h"
#include "gibbs/run.h"
#include "maximisers.h"

namespace bench {

/// Normal loadings, which are integrated out over their posterior given Z and the observed entries.
class NormalPosterior {
 public:
  NormalPosterior(const Problem& p, const buffet::Features& z, const buffet::Precisions& tau)
      : variance_(1 / tau.x.value), z_(dense(z)) {
    std::vector<char> lacks(z.rows(), 0);
    for (int i : p.rows) lacks[i] = 1;
    Eigen::MatrixXd c = Eigen::MatrixXd::Zero(z.size(), z.size());
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(p.columns.size(), z.size());
    Eigen::VectorXd x(p.columns.size());
    for (int i = 0; i < z.rows(); ++i) {
      if (lacks[i]) continue;
      for (std::size_t h = 0; h < p.columns.size(); ++h) x(h) = p.x(p.columns[h], i);
      c.selfadjointView<Eigen::Lower>().rankUpdate(z_.col(i));
      sums.noalias() += x * z_.col(i).transpose();
    }
    c.diagonal().array() += variance_ * tau.a.value;
    m_ = c.selfadjointView<Eigen::Lower>().llt().solve(
        Eigen::MatrixXd::Identity(z.size(), z.size()));
    mean_ = sums * m_;
  }

  Eigen::ArrayXXd log_density(const Places& at) const {
    int row = -1;
    double variance = 0;
    Eigen::VectorXd mean;
    return at_places(at, [&](int i, int h, double value) {
      if (i != row) {
        row = i;
        mean = mean_ * z_.col(i);
        variance = variance_ * (1 + z_.col(i).dot(m_ * z_.col(i)));
      }
      return log_normal(value, mean(h), variance);
    });
  }

 private:
  /// K x N.
  static Eigen::MatrixXd dense(const buffet::Features& z) {
    Eigen::MatrixXd on = Eigen::MatrixXd::Zero(z.size(), z.rows());
    for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { on(k, i) = 1; });
    return on;
  }

  double variance_;
  Eigen::MatrixXd z_, m_, mean_;
};

inline Eigen::ArrayXXd density_of(const buffet::GaussianCollapsed& likelihood,
                                  const buffet::Features& z, const Places& at) {
  return NormalPosterior(at.problem, z, likelihood.precisions()).log_density(at);
}

/// Densities given the loadings in the state.
inline Eigen::ArrayXXd density_of(const buffet::GaussianNonnegative& likelihood,
                                  const buffet::Features& z, const Places& at) {
  const double variance = 1 / likelihood.precisions().x.value;
  int row = -1;
  Eigen::VectorXd mean;
  return at_places(at, [&](int i, int h, double value) {
    if (i != row) {
      row = i;
      mean.setZero(likelihood.loadings().rows());
      for (int k = 0; k < z.size(); ++k)
        if (z.at(i, k)) mean += likelihood.loadings().col(k);
    }
    return log_normal(value, mean(at.problem.columns[h]), variance);
  });
}

/// Rows that choose the features of earlier rows in proportion to their frequency, and also have
/// new features.
inline buffet::Features draw_from_prior(int rows, double alpha, buffet::Rng& rng) {
  buffet::Features z(rows);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < z.size(); ++k)
      if (rng.bernoulli(double(z.count(k)) / (i + 1))) z.flip(i, k);
    for (double left = rng.gamma(1, 1); left < alpha / (i + 1); left += rng.gamma(1, 1))
      z.add_own(i);
  }
  return z;
}

/// As many features as requested, each in a third of the rows, or a draw from the prior.
inline buffet::Features first_features(const Entry& e, buffet::Rng& rng) {
  const int rows = e.input.data.rows();
  if (e.features == 0) return draw_from_prior(rows, 3, rng);
  buffet::Features z(rows);
  for (int k = 0; k < e.features; ++k) {
    buffet::Bits column(rows);
    for (int i = 0; i < rows; ++i)
      if (rng.bernoulli(1.0 / 3)) column.set(i);
    z.add(std::move(column));
  }
  return z;
}

/// As published: plain sweeps with fixed hyperparameters. If truncated, there are never more
/// features than at the start.
template <class Likelihood>
class PublishedSampler : public Competitor {
 public:
  using Chain = buffet::Gibbs<buffet::Exchangeable, Likelihood>;

  PublishedSampler(const Entry& e, bool truncated) : chain_(start(e, truncated)) {}
  /// A chain without a limit on features that starts from given features.
  PublishedSampler(const Entry& e, buffet::Features z)
      : chain_(start(e, std::move(z), {}, buffet::Rng(e.seed))) {}

  void iterate() override {
    chain_.rng.begin(done_++);
    chain_.sweep_bare(buffet::no_check);
  }
  double training() const override { return chain_.likelihood.log_lik(chain_.z); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return density_of(chain_.likelihood, chain_.z, at);
  }
  int features() const override { return chain_.z.size(); }

 private:
  static Chain start(const Entry& e, bool truncated) {
    buffet::Rng rng(e.seed);
    buffet::Features z = first_features(e, rng);
    return start(e, std::move(z), truncated ? std::optional(e.features) : std::nullopt, rng);
  }

  static Chain start(const Entry& e, buffet::Features z, std::optional<int> most,
                     const buffet::Rng& rng) {
    const Model model = e.papers();
    buffet::Exchangeable::Spec prior{model.prior.alpha};
    if (most) prior.max_features = *most;
    return Chain(std::move(z), buffet::Exchangeable(e.input.data.rows(), prior),
                 Likelihood(e.input.x, model.precisions), rng);
  }

  Chain chain_;
  int done_ = 0;
};

/// The accelerated sampler, started from the final state of MEIBP as published; each of the two
/// uses data on its own scale.
class MeibpThenSampler : public Competitor {
 public:
  using Sampler = PublishedSampler<buffet::GaussianCollapsed>;

  explicit MeibpThenSampler(const Entry& e) : centred_(e.problem), input_(centred(centred_)) {
    Problem shifted = e.problem;
    shift(shifted, -e.moments.least);
    const Input input(shifted.x);
    PublishedMeibp meibp({shifted, input, e.moments, e.features, e.seed}, true);
    Rest rest;
    do meibp.iterate();
    while (!rest.reached_with(meibp.training()));
    sampler_.emplace(Entry{centred_, input_, e.moments, 0, e.seed}, meibp.found());
  }

  void iterate() override { sampler_->iterate(); }
  double training() const override { return sampler_->training(); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return sampler_->log_density({centred_, at.step});
  }
  int features() const override { return sampler_->features(); }

 private:
  static const Eigen::MatrixXd& centred(Problem& problem) {
    centre(problem);
    return problem.x;
  }

  Problem centred_;
  Input input_;
  std::optional<Sampler> sampler_;
};

/// The sampler with buffet's defaults: the search at the beginning of the warm-up, moves of whole
/// features, and learned hyperparameters. It is evaluated from the end of the search on.
template <class Likelihood>
class DefaultSampler : public Competitor {
 public:
  using Chain = buffet::Gibbs<buffet::Exchangeable, Likelihood>;

  explicit DefaultSampler(const Entry& e)
      : searches_(search_of(buffet::Plan()).total()), run_(start(e), buffet::Plan()) {}

  void iterate() override {
    run_.step([] {});
  }
  double training() const override { return chain().likelihood.log_lik(chain().z); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return density_of(chain().likelihood, chain().z, at);
  }
  int features() const override { return chain().z.size(); }
  bool has_state() const override { return run_.done() >= searches_; }
  Ending ending() const override { return has_state() ? Ending::by_rule : Ending::not_yet; }

 private:
  static buffet::SearchPlan search_of(const buffet::Plan& plan) {
    return buffet::SearchPlan::within(plan.warmup, Likelihood::Searcher::search_shape);
  }
  static Chain start(const Entry& e) {
    buffet::Rng rng(e.seed);
    const Model model = learned();
    buffet::Exchangeable::Spec prior{model.prior.alpha};
    buffet::Features z = buffet::one_feature(e.input.data.rows(), 0.5, rng);
    return Chain(std::move(z), buffet::Exchangeable(e.input.data.rows(), prior),
                 Likelihood(e.input.x, model.precisions), rng);
  }
  const Chain& chain() const { return run_.chain(); }

  int searches_;
  buffet::Run<Chain> run_;
};

}  // namespace bench
