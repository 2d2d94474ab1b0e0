#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "first_holders.h"
#include "row_chain.h"
#include "statistics_sum.h"
#include "visit_rows.h"

namespace buffet {

/// One visit to all rows, each of which draws its bits, its missing entries, and possibly more.
class RowPass {
 public:
  /// variance: noise variance; chain.rng: a source of random numbers for the rows.
  RowPass(const RowVisits& visits, double variance, RowChain chain)
      : visits_(visits), sd_(std::sqrt(variance)), chain_(chain) {}

  /// draw(row, free, chain) returns the loadings of the features that the row has in addition to
  /// the features in z. If there are any, keep(number, loadings, entries, features) is called with
  /// these loadings, the row's entries, and its features in z. Returns the statistics of the
  /// features in z.
  template <class DrawRow, class Keep>
  GaussianStatistics run(const FirstHolders& holders, DrawRow draw, Keep keep) {
    const int columns = visits_.data.columns;
    StatisticsSum sums(columns, chain_.z.size());
    std::vector<int> on, free;
    const auto visit = [&](const VisitedRow& row, const auto& scores) {
      chain_.rng.begin(row.number);
      list_on(chain_.z, row.own, on);
      chain_.likelihood.enter(row.x, row.i, scores, on);
      holders.list_free(row.number, chain_.rng, free);
      const Eigen::MatrixXd own = draw(row, free, chain_);
      list_on(chain_.z, row.own, on);
      const Eigen::VectorXd hidden = draw_hidden(row, on, own);
      sums.add(row.x, row.i, hidden, on);
      if (own.cols() == 0) return;
      Eigen::VectorXd entries = Eigen::VectorXd::Zero(columns);
      StatisticsSum::add_row(row.x, row.i, hidden, entries);
      keep(row.number, own, entries, on);
    };
    visits_.each([&](int b) { sums.begin(b); }, visit);
    return sums.total(chain_.z, visits_.data.team);
  }

 private:
  /// Draws values for the row's missing entries.
  Eigen::VectorXd draw_hidden(const VisitedRow& row, const std::vector<int>& on,
                              const Eigen::MatrixXd& own) {
    Eigen::VectorXd hidden(row.x.hidden_count(row.i));
    int h = 0;
    row.x.for_hidden(row.i, [&](int d) {
      double mean = own.row(d).sum();
      for (int k : on) mean += visits_.a(d, k);
      hidden(h++) = mean + sd_ * chain_.rng.normal();
    });
    return hidden;
  }

  RowVisits visits_;
  double sd_;
  RowChain chain_;
};

/// The sum of squares of the observed entries of X - Z A.
inline double left_squares(const RowVisits& visits, const Features& z) {
  RowByScores fit(visits.a, 1);
  BlockSum sum(1);
  std::vector<int> on;
  const auto begin = [&](int number) { sum.begin(number); };
  visits.each(begin, [&](const VisitedRow& row, const auto& scores) {
    list_on(z, row.own, on);
    fit.enter(row.x, row.i, scores, on);
    sum.block()(0) += row.x.square(row.i) + fit.misfit();
  });
  return sum.total(visits.data.team)(0);
}

}  // namespace buffet
