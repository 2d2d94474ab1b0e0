#pragma once

#include <Eigen/Dense>

#include "core/rng.h"
#include "point/factor/row_moments.h"
#include "point/factor/row_search.h"
#include "soft_features.h"

namespace buffet {

/// q(z_i) of one row, independent bits, given factors of the loadings. The log odds of a bit are
///   log_odds_k + tau (E[a_k]' x - E|a_k|^2 / 2 - sum_{l != k} E[z_l] E[a_k]' E[a_l])
/// over the observed columns (Doshi-Velez et al. 2009, eq. for nu_nk).
class SoftRow {
 public:
  using Row = Eigen::Ref<Eigen::VectorXd>;

  SoftRow(const RowMoments& moments, const Eigen::VectorXd& log_odds, double tau);

  /// To a row with this pattern of missing entries and these E[a_k]' x.
  void enter(int pattern, const Eigen::Ref<const Eigen::VectorXd>& score);

  /// Coordinate ascent on what the bound has of the row: passes over its bits, so many or until no
  /// probability changes.
  void ascend(Row on, int passes);

  /// The same from the best set of features that a search finds, where that ends higher.
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

}  // namespace buffet
