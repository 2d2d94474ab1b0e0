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

/// Features to drop and features to add, with a guess of the loadings of the latter (D x features).
struct FeatureMove {
  std::vector<int> drops;
  std::vector<Bits> adds;
  Eigen::MatrixXd loadings;
  double bound = 0;  ///< that was reached when the move was tried

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

/// The state after a proposal. If features are only dropped, their rows are searched again.
Meibp changed(const Meibp& state, const FeatureMove& p, Rng& rng, const Check& check);

/// Proposals of a state with its data in memory.
class Proposer {
 public:
  Proposer(const Meibp& state, const GaussianData& x);

  /// A feature from the positive part of a random row's residual, alternating between the rows that
  /// it fits and its loadings. Empty if there is no residual.
  FeatureMove birth(Rng& rng, const Check& check) const;

  /// Two features in place of one: its rows are divided by the sign of the direction in which their
  /// residuals vary most, then rows and the two loadings are updated in turn.
  FeatureMove split(int k) const;

  /// One feature in place of two, with the rows of either.
  FeatureMove merge(int k, int l) const;

  FeatureMove death(int k) const { return {{k}, {}, Eigen::MatrixXd(x_.width(), 0)}; }

  /// Features by how much they explain, least first.
  std::vector<int> by_weight() const;

  /// Pairs of features by the larger of the cosine of their loadings and the correlation of their
  /// columns; at most twice as many pairs as features.
  std::vector<std::pair<int, int>> likely_pairs() const;

 private:
  /// With more rows than this, quantiles are estimated from a subset.
  static constexpr int many_rows = 20000;

  const AscentData& data() const { return state_.data(); }
  Bits column(const std::vector<int>& rows) const;
  static Eigen::MatrixXd ones(const std::vector<int>& rows) {
    return Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(rows.size()), 1);
  }

  /// Lengths of lists of own rows: the total over all workers, and over the workers before this
  /// one.
  int count_all(const std::vector<int>& own) const;
  int count_before(const std::vector<int>& own) const;
  /// This worker's rows among some of all rows, by their local numbers.
  std::vector<int> own_of(const std::vector<int>& all) const;

  /// The fifth of all rows with the best fit.
  std::vector<int> best_fifth(const Eigen::VectorXd& fit) const;
  static std::vector<int> largest(const Eigen::VectorXd& fit, int count);

  /// The rows whose squared residual becomes smaller with a feature with these loadings.
  std::vector<int> better_with(const std::vector<int>& rows, const Eigen::VectorXd& fit,
                               const Eigen::MatrixXd& v) const;

  /// 10 or 01 for each row.
  Eigen::MatrixXd halves(const std::vector<int>& rows) const;

  /// The nonnegative loadings of two features that replace one with loadings `whole`, by three
  /// passes over the two.
  Eigen::MatrixXd two_loadings(const std::vector<int>& rows, const Eigen::MatrixXd& held,
                               const Eigen::VectorXd& whole) const;

  /// 10, 01 or 11 for each row, whichever is nearest to its residual without the split feature.
  Eigen::MatrixXd best_of_three(const std::vector<int>& rows, const Eigen::MatrixXd& v,
                                const Eigen::VectorXd& whole) const;

  double correlation(int k, int l) const;

  const Meibp& state_;
  const GaussianData& x_;
  Residual residual_;
  double rho_;
};

}  // namespace buffet
