#pragma once

#include <Eigen/Dense>
#include <vector>

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

  /// What all else asks of the rows, of all members.
  struct Sums {
    Eigen::MatrixXd products;             ///< X E[Z], D x K
    Eigen::MatrixXd shared;               ///< E[Z'Z]
    std::vector<Eigen::MatrixXd> hidden;  ///< the same over the rows that a group of columns lacks
    double entropy;

    /// Expected numbers of rows that hold each feature.
    Eigen::VectorXd counts() const { return shared.diagonal(); }
    void reorder(const Eigen::PermutationMatrix<Eigen::Dynamic>& order);
  };
  Sums sum(const SoftFeatures& z) const;

  /// Expected numbers of rows that hold each feature.
  Eigen::VectorXd counts(const SoftFeatures& z) const;

 private:
  Eigen::VectorXd sum_block(const RowBlock& block, const SoftFeatures& z) const;
  void add_products(const RowBlock& block, const Eigen::MatrixXd& on,
                    Eigen::Ref<Eigen::MatrixXd> products) const;
  /// E[Z'Z] over the rows of a block that a group of columns lacks.
  static Eigen::MatrixXd hidden_counts(const RowBlock& block, const SoftFeatures& z,
                                       const Bits& hidden);

  const AscentData& data_;
  int threads_;
  const Check& check_;
};

}  // namespace buffet
