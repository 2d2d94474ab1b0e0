#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/logistic_normal.h"
#include "core/normal_vector.h"
#include "core/rng.h"

namespace buffet {

/// Features that only one row has, their weights integrated out: the likelihood knows but their sum
/// in each column, N(0, own / precision). psi are the log odds of the row without them; signs say
/// what was seen, as BinaryData has them.
class LogisticOwn {
 public:
  /// Of one weight.
  void set_precision(double precision) {
    if (precision != precision_) tables_.clear();
    precision_ = precision;
  }

  /// Log likelihood of the row, with one such feature or more.
  template <class Signs>
  double log_evidence(int own, const Eigen::ArrayXd& psi, const Signs& signs) {
    for (int q = static_cast<int>(tables_.size()) + 1; q <= own; ++q)
      tables_.emplace_back(q / precision_);
    LogisticNormalTable& table = tables_[own - 1];
    double sum = 0;
    for (int j = 0; j < psi.size(); ++j)
      if (signs(j) != 0) sum += table(signs(j) * psi(j));
    return sum;
  }

  /// Weights from their posterior, D x own: the sum column by column; given that they are normal
  /// around its equal parts.
  template <class Signs>
  Eigen::MatrixXd draw(int own, const Eigen::ArrayXd& psi, const Signs& signs, Rng& rng) const {
    Eigen::MatrixXd w = normal_matrix(psi.size(), own, 1 / std::sqrt(precision_), rng);
    if (own == 0) return w;
    for (int j = 0; j < psi.size(); ++j) {
      if (signs(j) == 0) continue;
      const LogisticNormal posterior(signs(j) * psi(j), own / precision_);
      const double total = signs(j) * posterior.draw(rng) - psi(j);
      w.row(j).array() += (total - w.row(j).sum()) / own;
    }
    return w;
  }

 private:
  double precision_ = 1;
  std::vector<LogisticNormalTable> tables_;  ///< by the number of features less one
};

}  // namespace buffet
