#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <type_traits>

#include "core/archive.h"
#include "core/check.h"
#include "feature_probabilities.h"
#include "gaussian/gaussian_scales.h"
#include "point/factor/ascent_data.h"
#include "soft_rows.h"

namespace buffet {

/// Mean-field inference for a model with max_features features (Doshi-Velez et al. 2009): Z, the
/// probabilities of features, the loadings and the hyperparameters have independent factors, and
/// every step raises a lower bound on the log evidence.
template <class Probabilities_, class Factor_>
class Variational {
 public:
  using Probabilities = Probabilities_;
  using Factor = Factor_;

  struct Model {
    typename Probabilities::Spec probabilities;
    Precisions precisions;
  };

  Variational(const AscentData& data, const Model& model, int threads)
      : probabilities_(data.rows(), model.probabilities),
        factor_(data.masks, data.columns, model.precisions),
        data_(&data),
        threads_(threads) {
    z.on.resize(0, data.own_rows());
    const double rms = data.root_mean_square(), tau = rms > 0 ? 1 / (rms * rms) : 1;
    factor_.start_precisions(tau, tau);
  }

  SoftFeatures z;

  const AscentData& data() const { return *data_; }
  const Factor& factor() const { return factor_; }
  Factor& factor() { return factor_; }
  const Probabilities& probabilities() const { return probabilities_; }
  double bound() const { return bound_; }

  /// Adds a feature with the probabilities that the worker's own rows have it, and with a guess for
  /// its loadings. Call settle() or iterate() afterwards.
  void add(const Eigen::VectorXd& on, const Eigen::VectorXd& loading) {
    z.on.conservativeResize(z.size() + 1, Eigen::NoChange);
    z.on.row(z.size() - 1) = on.transpose();
    factor_.append(Eigen::VectorXd::Zero(data_->columns), loading);
    probabilities_.update(SoftRows(*data_, threads_, no_check).counts(z));
  }

  /// One iteration: updates every row's features from their current state and, optionally, by a
  /// search, then the other factors.
  void iterate(const Check& check, bool search = false) {
    const RowMoments moments(factor_, data_->masks);
    SoftRows(*data_, threads_, check)
        .update(z, {moments, factor_.mean(), log_odds(), factor_.tau_x().mean(), search});
    settle(check);
  }

  /// Updates the other factors given q(Z), and the bound.
  void settle(const Check& check) {
    SoftRows::Sums sums = SoftRows(*data_, threads_, check).sum(z);
    update_probabilities(sums);
    factor_.sums() = sums.products;
    HeldCounts held{data_->rows(), sums.shared, {}};
    if (!sums.hidden.empty()) held.hidden = [&](int group) { return sums.hidden[group]; };
    factor_.update(held, data_->total, {2, 0, 0}, threads_);
    bound_ = factor_.bound(data_->observed()) + probabilities_.bound(sums.counts()) + sums.entropy;
  }

  Eigen::VectorXd log_odds() const {
    Eigen::VectorXd odds(z.size());
    for (int k = 0; k < z.size(); ++k)
      odds(k) = probabilities_.log_on(k) - probabilities_.log_off(k);
    return odds;
  }

  void archive(Archive& a) {
    data_->archive_columns(a, z.on);
    a(probabilities_);
    a(factor_);
    a.check(z.size() <= probabilities_.most_features() &&
                factor_.fits(data_->columns, static_cast<int>(z.size())),
            "what goes with its features");
    a(bound_);
  }

 private:
  void update_probabilities(SoftRows::Sums& sums) {
    probabilities_.update(sums.counts());
    if constexpr (std::is_same_v<Probabilities, StickProbabilities>) put_in_order(sums);
  }

  /// Later sticks are shorter, so features are ordered by their counts if this raises the bound.
  void put_in_order(SoftRows::Sums& sums) {
    const Eigen::VectorXd counts = sums.counts();
    Eigen::PermutationMatrix<Eigen::Dynamic> order(z.size());
    order.setIdentity();
    auto& index = order.indices();
    std::stable_sort(index.data(), index.data() + index.size(),
                     [&](int k, int l) { return counts(k) > counts(l); });
    const Eigen::VectorXd sorted = order.transpose() * counts;
    if (sorted == counts) return;
    Probabilities other = probabilities_;
    other.update(sorted);
    if (other.bound(sorted) <= probabilities_.bound(counts)) return;
    probabilities_ = other;
    z.on = order.transpose() * z.on;
    sums.reorder(order);
    factor_.reorder(order);
  }

  Probabilities probabilities_;
  Factor factor_;
  const AscentData* data_;
  int threads_;
  double bound_ = 0;
};

}  // namespace buffet
