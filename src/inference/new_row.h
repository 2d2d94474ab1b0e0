#pragma once

#include <Eigen/Dense>

#include "../core/features.h"
#include "../core/rng.h"
#include "sweep.h"

namespace buffet {

struct NewRowMeans {
  Eigen::VectorXd response, features;
};

/// Samples a row that was not among the data, given one draw of theirs. It climbs to a good state,
/// then its means are taken over the last half of the Gibbs sweeps. `prior` is that of one row more
/// than z has.
template <class Prior>
struct NewRowSampler {
  const Features& z;
  const Prior& prior;
  int sweeps;

  template <class Row>
  NewRowMeans sample(Row&& row, Rng& rng) const {
    const auto log_odds = [&](int k) { return prior.log_odds_of(z.count(k)); };
    const auto log_own_ratio = [&](int j) { return prior.log_own_ratio(z.rows(), z.size(), j); };
    for (int n = 0; n < 5; ++n) row.sweep(log_odds, Best{}, rng);
    const int kept = (sweeps + 1) / 2;
    NewRowMeans sum;
    for (int n = 0; n < sweeps; ++n) {
      row.sweep(log_odds, Draw{rng}, rng);
      row.draw_own(log_own_ratio, rng);
      if (n < sweeps - kept) continue;
      if (n == sweeps - kept) sum = {0 * row.mean(), 0 * row.bits(z.size())};
      sum.response += row.mean();
      sum.features += row.bits(z.size());
    }
    return {sum.response / kept, sum.features / kept};
  }
};

}  // namespace buffet
