#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/bits.h"
#include "core/log_sum.h"
#include "core/rng.h"

namespace buffet {

/// How a row stands to two features of which it has one at least, its weights integrated out: log
/// densities with the first alone, the second alone, and both, and the ratio of the mean weights of
/// the first and the second where it has both.
struct RowOfPair {
  enum Has { first, second, both };
  int row;
  Has has;
  std::array<double, 3> log_density;
  double ratio;

  /// Weights by which what the row has is drawn: any would do.
  double log_weight(int has) const { return log_density[has] + log_chance(has); }
  static double log_chance(int has) { return has == both ? -1.5 : 0; }
  double log_total() const {
    return log_add(log_add(log_weight(first), log_weight(second)), log_weight(both));
  }
};

/// All rows that have feature k or l.
struct PairOfFeatures {
  std::vector<RowOfPair> rows;

  template <class Chain>
  PairOfFeatures(Chain& chain, int k, int l) {
    Bits either = chain.z.column(k);
    either |= chain.z.column(l);
    either.for_each([&](int i) { rows.push_back(chain.likelihood.pair_in(chain.z, i, k, l)); });
  }

  /// Log density of the rows over the probability that `draw` had of what they have.
  double log_importance() const {
    double sum = 0;
    for (const RowOfPair& row : rows) sum += row.log_total() - RowOfPair::log_chance(row.has);
    return sum;
  }
  void draw(Rng& rng) {
    for (RowOfPair& row : rows) {
      const double u = std::log(rng.uniform()) + row.log_total();
      const double alone = log_add(row.log_weight(0), row.log_weight(1));
      row.has = u < row.log_weight(0) ? RowOfPair::first
                : u < alone           ? RowOfPair::second
                                      : RowOfPair::both;
    }
  }
};

/// The law of the angle of a rotation, in a half turn: in half of the draws such that a row that
/// has both features may lose one.
class RotationAngle {
 public:
  explicit RotationAngle(const PairOfFeatures& pair) {
    for (const RowOfPair& row : pair.rows)
      if (row.has == RowOfPair::both) {
        angles_.push_back(std::atan(row.ratio));
        angles_.push_back(std::atan(-1 / row.ratio));
      }
  }

  double draw(Rng& rng) const {
    if (angles_.empty() || rng.bernoulli(0.5)) return M_PI * (rng.uniform() - 0.5);
    return turned(angles_[rng.below(static_cast<int>(angles_.size()))] + sd * rng.normal());
  }
  double log_density(double angle) const {
    if (angles_.empty()) return -std::log(M_PI);
    double near = 0;
    for (double at : angles_)  // what is further than a turn is below rounding
      for (int n = -1; n <= 1; ++n)
        near += std::exp(-0.5 * std::pow((angle - at + n * M_PI) / sd, 2));
    near /= angles_.size() * sd * std::sqrt(2 * M_PI);
    return std::log(0.5 / M_PI + 0.5 * near);
  }

 private:
  static constexpr double sd = 0.04;
  static double turned(double angle) { return angle - M_PI * std::round(angle / M_PI); }

  std::vector<double> angles_;
};

/// Rotates the loadings of features k and l, which leaves their density as it is, and draws anew
/// which of the two their rows have, one at least: what turns a mixture of two features into the
/// two would otherwise have to cross states that explain the data badly. Weights are integrated
/// out, and drawn at the end.
template <class Chain>
void rotate(Chain& chain, int k, int l) {
  auto& [z, prior, likelihood, rng] = chain;
  const PairOfFeatures before(chain, k, l);
  const RotationAngle angles(before);
  const double angle = angles.draw(rng);
  likelihood.rotate(k, l, angle);
  PairOfFeatures after(chain, k, l);
  after.draw(rng);
  Bits first(z.rows()), second(z.rows());
  for (const RowOfPair& row : after.rows) {
    if (row.has != RowOfPair::second) first.set(row.row);
    if (row.has != RowOfPair::first) second.set(row.row);
  }
  double log_accept = -INFINITY;
  if (first.count() > 0 && second.count() > 0)
    log_accept = after.log_importance() - before.log_importance() +
                 prior.log_ratio_replaced(z, k, first) + prior.log_ratio_replaced(z, l, second) +
                 RotationAngle(after).log_density(-angle) - angles.log_density(angle);
  if (!(std::log(rng.uniform()) < log_accept)) return likelihood.rotate_back(k, l);
  z.replace(k, first);
  prior.replaced(z, k);
  z.replace(l, second);
  prior.replaced(z, l);
  for (const RowOfPair& row : after.rows) likelihood.redraw_weights(z, row.row, rng);
}

/// Some pairs, at random.
template <class Chain>
void rotate_pairs(Chain& chain) {
  const int size = chain.z.size();
  for (int n = 0; n < size && size > 1; ++n) {
    const int k = chain.rng.below(size), l = chain.rng.below(size);
    if (k != l) rotate(chain, k, l);
  }
}

}  // namespace buffet
