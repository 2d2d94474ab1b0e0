#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/features.h"
#include "families.h"
#include "mixed_data.h"
#include "regression/regression_statistics.h"

namespace buffet {

/// A row visited given all weights. Columns whose densities are fast are evaluated by these, which
/// integrates their auxiliary variables out: given the variables, bits that affect many columns
/// would hardly ever change. All other columns are evaluated by their normal regressions.
class RowGivenWeights {
 public:
  RowGivenWeights() = default;
  RowGivenWeights(const MixedData& data, const Families& families, const RegressionData& given)
      : data_(&data), families_(&families), given_(&given) {}

  void enter(int i, const Eigen::VectorXd& eta) {
    x_ = data_->row(i);
    eta_ = eta;
    omega_ = given_->omega.col(i);
    by_density_.clear();
    for (int j = 0; j < data_->columns(); ++j) {
      if (!(*families_)[j]->is_visited_by_density()) continue;
      omega_.segment(data_->first(j), data_->width(j)).setZero();
      if (!std::isnan(x_(j))) by_density_.push_back(j);
    }
    slope_ = (omega_.array() > 0).select(given_->kappa.col(i) - omega_.cwiseProduct(eta_), 0);
    here_ = log_kernels(eta_);
  }

  /// Log likelihood with w added to the linear predictors, minus the log likelihood without it.
  template <class Weights>
  double log_ratio(const Weights& w) {
    there_eta_ = eta_ + w;
    there_ = log_kernels(there_eta_);
    return slope_.dot(w) - 0.5 * omega_.dot(w.cwiseAbs2()) + there_ - here_;
  }
  /// Applies the change last evaluated by log_ratio().
  void go() {
    slope_ -= omega_.cwiseProduct(there_eta_ - eta_);
    eta_.swap(there_eta_);
    here_ = there_;
  }

 private:
  double log_kernels(const Eigen::VectorXd& eta) const {
    double sum = 0;
    for (int j : by_density_)
      sum += (*families_)[j]->log_kernel(x_(j), eta.data() + data_->first(j));
    return sum;
  }

  const MixedData* data_ = nullptr;
  const Families* families_ = nullptr;
  const RegressionData* given_ = nullptr;
  std::vector<int> by_density_;
  Eigen::VectorXd x_, eta_, there_eta_, omega_, slope_;
  double here_ = 0, there_ = 0;
};

}  // namespace buffet
