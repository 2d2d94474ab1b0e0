#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/rng.h"
#include "meibp.h"
#include "point/factor/gaussian_residual.h"

namespace buffet {

/// Features that go and features that come, with a guess of their loadings (D x features).
struct FeatureMove {
  std::vector<int> drops;
  std::vector<Bits> adds;
  Eigen::MatrixXd loadings;
  double bound = 0;  ///< that it led to when it was tried

  void archive(Archive& a) {
    int rows = adds.empty() ? 0 : static_cast<int>(adds[0].words().size()) * 64;
    int count = static_cast<int>(adds.size());
    a(drops);
    a(count);
    a(rows);
    if (a.reads()) adds.assign(count, Bits(rows));
    for (Bits& column : adds) a(column.words());
    a(loadings);
    a(bound);
  }
};

/// The state after a proposal. The rows of a feature that goes without another that comes are
/// searched again.
Meibp changed(const Meibp& state, const FeatureMove& p, Rng& rng, const Check& check);

/// Proposals of a state with its data in memory.
class Proposer {
 public:
  Proposer(const Meibp& state, const GaussianData& x);

  /// A feature from the positive part of what is left of a random row, refined by turns with the
  /// rows that it fits. None where nothing is left.
  FeatureMove birth(Rng& rng, const Check& check) const;

  /// Two features for one: its rows by the sign of the direction in which what is left of them
  /// varies most, then by turns with the two loadings.
  FeatureMove split(int k) const;

  /// One feature, held where either was, for two.
  FeatureMove merge(int k, int l) const;

  FeatureMove death(int k) const { return {{k}, {}, Eigen::MatrixXd(x_.width(), 0)}; }

  /// Features by what they explain, least first.
  std::vector<int> by_weight() const;

  /// Pairs of features by the larger of the cosine of their loadings and the correlation of their
  /// columns, at most twice as many as there are features.
  std::vector<std::pair<int, int>> likely_pairs() const;

 private:
  Bits column(const std::vector<int>& rows) const;

  static std::vector<int> largest(const Eigen::VectorXd& fit, int count);

  /// Those of the rows whose squared distance falls with a feature of these loadings.
  std::vector<int> better_with(const std::vector<int>& rows, const Eigen::VectorXd& fit,
                               const Eigen::MatrixXd& v) const;

  /// 10 or 01 for each row.
  Eigen::MatrixXd halves(const std::vector<int>& rows) const;

  /// The nonnegative loadings of two features that take the place of one with loadings `whole`, by
  /// three passes over the two.
  Eigen::MatrixXd two_loadings(const std::vector<int>& rows, const Eigen::MatrixXd& held,
                               const Eigen::VectorXd& whole) const;

  /// 10, 01 or 11 for each row, whichever is nearest to what is left of it without the feature
  /// that is split.
  Eigen::MatrixXd best_of_three(const std::vector<int>& rows, const Eigen::MatrixXd& v,
                                const Eigen::VectorXd& whole) const;

  double correlation(int k, int l) const;

  const Meibp& state_;
  const GaussianData& x_;
  Residual residual_;
  double rho_;
};

}  // namespace buffet
