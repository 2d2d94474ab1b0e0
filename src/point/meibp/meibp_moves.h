#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/rng.h"
#include "meibp.h"
#include "point/factor/gaussian_residual.h"

namespace buffet {

/// Features to drop and features to add, with a guess for the loadings of the added features (D x
/// features).
struct FeatureMove {
  std::vector<int> drops;
  std::vector<Bits> adds;
  Eigen::MatrixXd loadings;
  double bound = 0;  ///< bound that was reached when the move was tried

  void archive(Archive& a, const AscentData& data) {
    a(drops);
    data.archive(a, adds);
    a(loadings);
    a.check(loadings.rows() == data.columns &&
                loadings.cols() == static_cast<Eigen::Index>(adds.size()),
            "loadings of a proposal");
    a(bound);
  }
  /// True if the dropped features are distinct and exist.
  bool fits(int features) const {
    std::vector<char> gone(features, 0);
    return std::all_of(drops.begin(), drops.end(),
                       [&](int k) { return k >= 0 && k < features && !gone[k]++; });
  }
};

/// The state after a proposal. If it only drops features, their rows are searched again.
Meibp changed(const Meibp& state, const FeatureMove& p, Rng& rng, const Check& check);

/// Makes proposals for a state whose data are in memory.
class Proposer {
 public:
  Proposer(const Meibp& state, const GaussianData& x);

  /// A feature found from the positive part of a random row's residual by alternating between the
  /// rows that it fits and its loadings. Empty if there is no residual.
  FeatureMove birth(Rng& rng, const Check& check) const;

  /// Two features that replace one: the rows of the old feature are divided by the sign of the
  /// direction in which their residuals vary most, then the rows and the loadings of both are
  /// updated in turn.
  FeatureMove split(int k) const;

  /// One feature that replaces two and has the rows of either.
  FeatureMove merge(int k, int l) const;

  FeatureMove death(int k) const { return {{k}, {}, Eigen::MatrixXd(x_.width(), 0)}; }

  /// Features in increasing order of how much they explain.
  std::vector<int> by_weight() const;

  /// Pairs of features, ordered by the larger of the cosine between their loadings and the
  /// correlation between their columns. There are at most twice as many pairs as features.
  std::vector<std::pair<int, int>> likely_pairs() const;

 private:
  /// If there are more rows than this, quantiles are estimated from a subset.
  static constexpr int many_rows = 20000;

  const AscentData& data() const { return state_.data(); }
  Bits column(const std::vector<int>& rows) const;
  static Eigen::MatrixXd ones(const std::vector<int>& rows) {
    return Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(rows.size()), 1);
  }

  /// For lists of own rows: their total length over all workers, and over the workers before this
  /// one.
  int count_all(const std::vector<int>& own) const;
  int count_before(const std::vector<int>& own) const;
  /// This worker's rows among a set of rows, by their local numbers.
  std::vector<int> own_of(const std::vector<int>& all) const;

  /// The fifth of all rows with the best fit.
  std::vector<int> best_fifth(const Eigen::VectorXd& fit) const;
  static std::vector<int> largest(const Eigen::VectorXd& fit, int count);

  /// The rows whose squared residual decreases if they get a feature with these loadings.
  std::vector<int> better_with(const std::vector<int>& rows, const Eigen::VectorXd& fit,
                               const Eigen::MatrixXd& v) const;

  /// 10 (first feature) or 01 (second) for each row.
  Eigen::MatrixXd halves(const std::vector<int>& rows) const;

  /// The nonnegative loadings of two features that replace a feature with loadings `whole`,
  /// computed by three passes over the two.
  Eigen::MatrixXd two_loadings(const std::vector<int>& rows, const Eigen::MatrixXd& held,
                               const Eigen::VectorXd& whole) const;

  /// 10, 01 or 11 for each row, whichever comes closest to its residual without the split feature.
  Eigen::MatrixXd best_of_three(const std::vector<int>& rows, const Eigen::MatrixXd& v,
                                const Eigen::VectorXd& whole) const;

  double correlation(int k, int l) const;

  const Meibp& state_;
  const GaussianData& x_;
  Residual residual_;
  double rho_;
};

}  // namespace buffet
