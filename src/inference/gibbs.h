#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"
#include "exclusive_or.h"
#include "repair.h"
#include "split_merge.h"
#include "sweep.h"

namespace buffet {

/// The state of a chain and its sweep.
template <class Prior, class Likelihood>
struct Gibbs {
  Features z;
  Prior prior;
  Likelihood likelihood;
  Rng rng;

  Gibbs(Features features, Prior prior_, Likelihood likelihood_, Rng rng_)
      : z(std::move(features)),
        prior(std::move(prior_)),
        likelihood(std::move(likelihood_)),
        rng(std::move(rng_)) {
    likelihood.reset(z);
  }

  void sweep() {
    for (int i = 0; i < z.rows(); ++i) sweep_row(i, *this);
    likelihood.refresh(z);
    move_columns(likelihood);
    prior.update(z, rng);
    likelihood.update(z, rng);
  }

  /// Begins anew from other features, with the hyperparameters at their starting values.
  void restart(Features features) {
    z = std::move(features);
    prior.restart();
    likelihood.restart();
    likelihood.reset(z);
  }

  /// Mends a wrong basis by moves that are not reversible: for warm-up only.
  void repair() { repair(likelihood); }

  /// By which starts are compared: the log joint of the labelled columns, alpha integrated out and
  /// the priors of the other hyperparameters on the log scale.
  double score() const {
    return likelihood.log_lik() + prior.log_evidence(z) + likelihood.log_hyperprior_of_logs();
  }

  /// What the trace records, in the order of scalar_names().
  std::vector<double> scalars() const {
    std::vector<double> values{double(z.size()), double(z.total()), prior.alpha(),
                               prior.concentration()};
    for (double v : likelihood.hyperparameters()) values.push_back(v);
    const double log_lik = likelihood.log_lik();
    values.push_back(log_lik);
    values.push_back(log_lik + log_prior());
    return values;
  }
  static std::vector<std::string> scalar_names() {
    std::vector<std::string> names{"n_features", "n_ones", "alpha", "concentration"};
    for (const char* name : Likelihood::hyperparameter_names) names.push_back(name);
    names.push_back("log_lik");
    names.push_back("log_joint");
    return names;
  }

  /// log p(X | Z) + log P([Z]) + log densities of what is learned.
  double log_joint() const { return likelihood.log_lik() + log_prior(); }

 private:
  double log_prior() const {
    return prior.log_prob_lof(z) + prior.log_hyperprior() + likelihood.log_hyperprior();
  }

  /// Moves of whole columns, for likelihoods that can integrate their loadings out.
  void move_columns(GaussianCollapsed&) {
    exclusive_or_pairs(*this);
    const int tries = z.rows() <= 300 ? 3 : 1;
    for (int n = 0; n < tries; ++n) split_merge(*this);
  }
  void repair(GaussianCollapsed&) {
    dissolve_all(*this);
    for (int n = 0; n < 3; ++n) grow(*this);
  }

  template <class Other>
  void move_columns(Other&) {}
  template <class Other>
  void repair(Other&) {}
};

}  // namespace buffet
