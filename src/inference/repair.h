#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"
#include "sweep.h"

/// Repairs of a wrong basis: trials that are kept when the score does not fall. They are not
/// reversible: for warm-up only.

namespace buffet {

/// Lets these rows choose anew among the features that there are, then keeps the trial or not.
template <class Chain>
bool settle(Chain trial, const Bits& rows, Chain& chain) {
  rows.for_each([&](int i) {
    trial.likelihood.enter(trial.z, i);
    sweep_shared(i, trial, Draw{trial.rng});
    trial.likelihood.leave(trial.z, trial.likelihood.own_count());
  });
  trial.likelihood.refresh(trial.z);
  chain.rng = trial.rng;
  const bool better = trial.score() >= chain.score();
  if (better) chain = std::move(trial);
  return better;
}

/// Deletes a feature: cures those that are sums of others.
template <class Chain>
void dissolve(int k, Chain& chain) {
  Chain trial = chain;
  const Bits rows = trial.z.column(k);
  auto statistics = trial.likelihood.statistics();
  trial.z.drop(k);
  statistics.drop(k);
  trial.likelihood.accept(std::move(statistics));
  settle(std::move(trial), rows, chain);
}

/// Tries to dissolve the 50 rarest features, the rarest first.
template <class Chain>
void dissolve_all(Chain& chain) {
  std::vector<Bits> columns;
  for (int k = 0; k < chain.z.size(); ++k) columns.push_back(chain.z.column(k));
  std::stable_sort(columns.begin(), columns.end(),
                   [](const Bits& a, const Bits& b) { return a.count() < b.count(); });
  if (columns.size() > 50) columns.erase(columns.begin() + 50, columns.end());
  for (const Bits& column : columns)
    for (int k = 0; k < chain.z.size() && chain.z.size() > 1; ++k)
      if (chain.z.column(k) == column) {
        dissolve(k, chain);
        break;
      }
}

/// The rows on the positive side of a leading direction of the residuals: two-means, from the
/// direction of a random row.
template <class Chain>
Bits leading_side(Chain& chain) {
  const auto& x = chain.likelihood.data().x;
  const int rows = chain.z.rows();
  const Eigen::MatrixXd loadings = chain.likelihood.loadings();
  Eigen::MatrixXd residuals = x;
  for (int k = 0; k < chain.z.size(); ++k)
    chain.z.column(k).for_each([&](int i) { residuals.col(i) -= loadings.col(k); });
  residuals.colwise() -= residuals.rowwise().mean().eval();
  Eigen::VectorXd direction = residuals.col(chain.rng.below(rows));
  Bits side(rows);
  for (int round = 0; round < 6; ++round) {
    const Eigen::VectorXd scores = residuals.transpose() * direction;
    side = Bits(rows);
    direction.setZero();
    for (int i = 0; i < rows; ++i)
      if (scores(i) > 0) {
        side.set(i);
        direction += residuals.col(i);
      }
  }
  return side;
}

/// Adds a feature from the residuals: cures features whose mean the others have absorbed.
template <class Chain>
bool grow(Chain& chain) {
  Bits side = leading_side(chain);
  if (side.count() == 0) return false;
  Chain trial = chain;
  auto statistics = trial.likelihood.statistics();
  trial.z.add(std::move(side));
  statistics.add_column(trial.z, trial.likelihood.data());
  trial.likelihood.accept(std::move(statistics));
  Bits all(chain.z.rows());
  for (int i = 0; i < chain.z.rows(); ++i) all.set(i);
  return settle(std::move(trial), all, chain);
}

}  // namespace buffet
