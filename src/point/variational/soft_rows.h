#pragma once

#include <Eigen/Dense>

#include "core/check.h"
#include "point/factor/ascent_data.h"
#include "soft_features.h"
#include "soft_row.h"

namespace buffet {

/// All rows of the data, block after block, on threads. What `check` throws is thrown.
class SoftRows {
 public:
  SoftRows(const AscentData& data, int threads, const Check& check)
      : data_(data), threads_(threads), check_(check) {}

  /// What the rows are given.
  struct Given {
    const RowMoments& moments;
    const Eigen::MatrixXd& mean;  ///< E[A]', D x K
    Eigen::VectorXd log_odds;
    double tau;
    bool search;  ///< are rows searched for, not only from where they are?
  };
  void update(SoftFeatures& z, const Given& given) const;

  /// X E[Z], D x K.
  void sum(const SoftFeatures& z, Eigen::MatrixXd& sums) const;

 private:
  const AscentData& data_;
  int threads_;
  const Check& check_;
};

}  // namespace buffet
