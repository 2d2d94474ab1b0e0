#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/check.h"
#include "core/rng.h"
#include "point/factor/ascent_data.h"
#include "point/factor/row_search.h"

namespace buffet {

/// Independent probabilities that rows have features, instead of a known Z: K x N, with one column
/// for each of the worker's rows.
struct SoftFeatures {
  Eigen::MatrixXd on;

  int rows() const { return static_cast<int>(on.cols()); }
  int size() const { return static_cast<int>(on.rows()); }
};

/// Entropy of independent bits that are on with these probabilities.
template <class Matrix>
double entropy_of_bits(const Matrix& on) {
  double sum = 0;
  for (Eigen::Index n = 0; n < on.size(); ++n)
    if (const double p = on(n); p > 1e-17 && p < 1)
      sum -= p * std::log(p) + (1 - p) * std::log(1 - p);
  return sum;
}

/// E[Z'Z] from the probabilities of some rows.
template <class Matrix>
Eigen::MatrixXd expected_counts(const Matrix& on) {
  Eigen::MatrixXd c = on * on.transpose();
  c.diagonal() = on.rowwise().sum();
  return c;
}

/// q(z_i) for one row, as independent bits, given the factors of the loadings. The log odds of a
/// bit are log_odds_k + tau (E[a_k]' x - E|a_k|^2 / 2 - sum_{l != k} E[z_l] E[a_k]' E[a_l]) over
/// the observed columns (Doshi-Velez et al. 2009, eq. for nu_nk).
class SoftRow {
 public:
  using Row = Eigen::Ref<Eigen::VectorXd>;

  SoftRow(const RowMoments& moments, const Eigen::VectorXd& log_odds, double tau);

  /// Starts a row with this pattern of missing entries and these E[a_k]' x.
  void enter(int pattern, const Eigen::Ref<const Eigen::VectorXd>& score);

  /// Coordinate ascent on the row's part of the bound: at most `passes` passes over its bits,
  /// ending when no probability changes.
  void ascend(Row on, int passes);

  /// Coordinate ascent that starts from the best set of features found by a search; the result is
  /// used if its bound is higher.
  void search(Row on);

 private:
  double value(const Eigen::VectorXd& on) const;

  RowMoments moments_;
  const Eigen::VectorXd& log_odds_;
  double tau_;
  RowProblem problem_;
  RowSearch search_;
  Rng rng_;
  Eigen::VectorXd base_, load_, other_;
};

/// Updates all rows of the data, block by block, on several threads. Exceptions thrown by `check`
/// are rethrown.
class SoftRows {
 public:
  SoftRows(const AscentData& data, int threads, const Check& check)
      : data_(data), threads_(threads), check_(check) {}

  /// The factors that are held fixed while the rows are updated.
  struct Given {
    const RowMoments& moments;
    const Eigen::MatrixXd& mean;  ///< E[A]', D x K
    Eigen::VectorXd log_odds;
    double tau;
    bool search;  ///< true if rows are also searched rather than only updated from their current
                  ///< state
  };
  void update(SoftFeatures& z, const Given& given) const;

  /// Sums over the rows of all workers that the other factors need.
  struct Sums {
    Eigen::MatrixXd products;             ///< X E[Z], D x K
    Eigen::MatrixXd shared;               ///< E[Z'Z]
    std::vector<Eigen::MatrixXd> hidden;  ///< E[Z'Z] over the missing rows of a group of columns
    double entropy;

    /// Expected numbers of rows that have each feature.
    Eigen::VectorXd counts() const { return shared.diagonal(); }
    void reorder(const Eigen::PermutationMatrix<Eigen::Dynamic>& order);
  };
  Sums sum(const SoftFeatures& z) const;

  /// Expected numbers of rows that have each feature.
  Eigen::VectorXd counts(const SoftFeatures& z) const;

 private:
  Eigen::VectorXd sum_block(const RowBlock& block, const SoftFeatures& z) const;
  void add_products(const RowBlock& block, const Eigen::MatrixXd& on,
                    Eigen::Ref<Eigen::MatrixXd> products) const;
  /// E[Z'Z] over the rows of a block in which a group of columns is missing.
  static Eigen::MatrixXd hidden_counts(const RowBlock& block, const SoftFeatures& z,
                                       const Bits& hidden);

  const AscentData& data_;
  int threads_;
  const Check& check_;
};

}  // namespace buffet
