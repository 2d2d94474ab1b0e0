#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "gaussian/gaussian_data.h"
#include "sweep.h"

/// Repairs of a wrong basis: trials that are accepted if the score does not fall. They are not
/// reversible, so they are used in the warm-up only. `check` is called at every row.

namespace buffet {

/// Lets these rows choose anew among the existing features, then accepts or rejects the trial.
template <class Chain>
bool settle(Chain trial, const Bits& rows, Chain& chain, const Check& check) {
  rows.for_each([&](int i) {
    check();
    trial.likelihood.enter(trial.z, i);
    sweep_shared(i, trial);
    trial.likelihood.leave(trial.z, trial.likelihood.own_count());
  });
  trial.likelihood.refresh(trial.z);
  chain.rng = trial.rng;
  // Reordering the features changes the score by rounding error only.
  const bool better = trial.score() > chain.score() - 1e-6;
  if (better) chain = std::move(trial);
  return better;
}

/// Deletes a feature; removes features that are sums of others.
template <class Chain>
void dissolve(int k, Chain& chain, const Check& check) {
  Chain trial = chain;
  const Bits rows = trial.z.column(k);
  auto statistics = trial.likelihood.statistics();
  trial.z.drop(k);
  statistics.drop(k);
  trial.likelihood.accept(std::move(statistics));
  settle(std::move(trial), rows, chain, check);
}

/// Tries to dissolve the 50 rarest features, starting from the rarest.
template <class Chain>
void dissolve_all(Chain& chain, const Check& check) {
  std::vector<Bits> columns;
  for (int k = 0; k < chain.z.size(); ++k) columns.push_back(chain.z.column(k));
  std::stable_sort(columns.begin(), columns.end(),
                   [](const Bits& a, const Bits& b) { return a.count() < b.count(); });
  if (columns.size() > 50) columns.erase(columns.begin() + 50, columns.end());
  for (const Bits& column : columns)
    for (int k = 0; k < chain.z.size() && chain.z.size() > 1; ++k)
      if (chain.z.column(k) == column) {
        dissolve(k, chain, check);
        break;
      }
}

/// The rows on the positive side of a leading direction of the centred residuals R = X - ZA: by
/// two-means, started from the direction of a random row. R is never formed.
template <class Chain>
class LeadingSide {
 public:
  explicit LeadingSide(const Chain& chain)
      : z_(chain.z), x_(chain.likelihood.completed()), loadings_(chain.likelihood.loadings()) {
    mean_ = sum(complement(Bits(z_.rows()), z_.rows())) / z_.rows();
  }

  Bits find(Rng& rng) const {
    Bits side(z_.rows());
    side.set(rng.below(z_.rows()));
    for (int round = 0; round < 6; ++round) side = positive(sum(side) - side.count() * mean_);
    return side;
  }

 private:
  /// Sum of R over the given rows.
  Eigen::VectorXd sum(const Bits& rows) const {
    Eigen::VectorXd sum = x_.sum(rows);
    for (int k = 0; k < z_.size(); ++k) sum -= z_.column(k).count_shared(rows) * loadings_.col(k);
    return sum;
  }

  Bits positive(const Eigen::VectorXd& direction) const {
    Eigen::VectorXd scores = x_.scores(direction);
    const Eigen::VectorXd fitted = loadings_.transpose() * direction;
    for (int k = 0; k < z_.size(); ++k)
      z_.column(k).for_each([&](int i) { scores(i) -= fitted(k); });
    const double middle = mean_.dot(direction);
    Bits side(z_.rows());
    for (int i = 0; i < z_.rows(); ++i)
      if (scores(i) > middle) side.set(i);
    return side;
  }

  const Features& z_;
  const Completed& x_;
  Eigen::MatrixXd loadings_;
  Eigen::VectorXd mean_;
};

/// Adds a feature from the residuals: recovers features whose mean the others have absorbed.
template <class Chain>
bool grow(Chain& chain, const Check& check) {
  if (chain.z.size() >= chain.prior.most_features()) return false;
  Bits side = LeadingSide(chain).find(chain.rng);
  if (side.count() == 0) return false;
  Chain trial = chain;
  auto statistics = trial.likelihood.statistics();
  trial.z.add(std::move(side));
  statistics.add_column(trial.z, trial.likelihood.completed());
  trial.likelihood.accept(std::move(statistics));
  const int rows = chain.z.rows();
  return settle(std::move(trial), complement(Bits(rows), rows), chain, check);
}

}  // namespace buffet
