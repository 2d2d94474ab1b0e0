#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/bits.h"
#include "core/check.h"
#include "core/rng.h"
#include "core/tally.h"

namespace buffet {

/// A row that has at least one of two features, with its weights integrated out: integrating out
/// the weights of its other features leaves a regression on the two, given by the precision of
/// their weights and their products with the row. Densities are relative to the row without either
/// feature.
class RowOfPair {
 public:
  enum Has { first, second, both };
  int row;
  Has has;

  RowOfPair(int row_, Has has_, const Eigen::Matrix2d& precision, const Eigen::Vector2d& with_row)
      : row(row_), has(has_), precision_(precision), with_row_(with_row) {
    // The precision of the second given the first is at least 1, its prior precision.
    const double pivot = std::max(1.0, precision(1, 1) - square(precision(0, 1)) / precision(0, 0));
    const double second_given_first = with_row(1) - precision(0, 1) / precision(0, 0) * with_row(0);
    const double alone = square(with_row(0)) / precision(0, 0);
    const std::array<double, 3> fit{alone, square(with_row(1)) / precision(1, 1),
                                    alone + square(second_given_first) / pivot};
    const std::array<double, 3> squares{precision(0, 0), precision(1, 1), precision(0, 0) * pivot};
    const double best = std::max({fit[0], fit[1], fit[2]});
    for (int n = 0; n < 3; ++n)
      weights_[n] = chance(n) * std::exp(0.5 * (fit[n] - best)) / std::sqrt(squares[n]);
    log_total_ = 0.5 * best + std::log(total());
  }

  /// The pair after `turn` has rotated the loadings; the prior of the weights is invariant.
  RowOfPair rotated(const Eigen::Matrix2d& turn) const {
    return {row, has, turn * precision_ * turn.transpose(), turn * with_row_};
  }

  /// Draws which features the row has, with probability proportional to density times a constant,
  /// whose value does not affect validity.
  void draw(Rng& rng) {
    const double u = rng.uniform() * total();
    has = u < weights_[first] ? first : u < weights_[first] + weights_[second] ? second : both;
  }
  static double log_chance(int has) { return has == both ? -1.5 : 0; }
  /// Log of the sum of the unnormalised probabilities.
  double log_total() const { return log_total_; }

  /// The angle whose tangent is the ratio of the two weights of a row with both features: the angle
  /// of their means, and its approximate standard deviation.
  struct Angle {
    double mean, sd;
  };
  Angle angle() const {
    const double det = precision_.determinant();
    const Eigen::Vector2d mean{
        (precision_(1, 1) * with_row_(0) - precision_(0, 1) * with_row_(1)) / det,
        (precision_(0, 0) * with_row_(1) - precision_(0, 1) * with_row_(0)) / det};
    // Variance orthogonal to the mean, from the inverse of the precision.
    const double across = mean.dot(precision_ * mean) / det;
    return {std::atan2(mean(0), mean(1)), std::sqrt(across) / mean.squaredNorm()};
  }

 private:
  static double square(double x) { return x * x; }
  static double chance(int has) {
    static const double of_both = std::exp(log_chance(both));
    return has == both ? of_both : 1;
  }
  double total() const { return weights_[0] + weights_[1] + weights_[2]; }

  Eigen::Matrix2d precision_;
  Eigen::Vector2d with_row_;
  std::array<double, 3> weights_;  ///< unnormalised
  double log_total_;
};

/// All rows that have feature k or l.
struct PairOfFeatures {
  std::vector<RowOfPair> rows;

  template <class Chain>
  PairOfFeatures(Chain& chain, int k, int l) {
    Bits either = chain.z.column(k);
    either |= chain.z.column(l);
    rows.reserve(either.count());
    either.for_each([&](int i) { rows.push_back(chain.likelihood.pair_in(chain.z, i, k, l)); });
  }
  void rotate(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    Eigen::Matrix2d turn;
    turn << c, -s, s, c;
    for (RowOfPair& row : rows) row = row.rotated(turn);
  }

  /// Log density of the rows minus the log probability that `draw` assigns to their features.
  double log_importance() const {
    double sum = 0;
    for (const RowOfPair& row : rows) sum += row.log_total() - RowOfPair::log_chance(row.has);
    return sum;
  }
  void draw(Rng& rng) {
    for (RowOfPair& row : rows) row.draw(rng);
  }
};

/// Proposal distribution for the angle of a rotation, within half a turn: with probability 1/2, an
/// angle at which a row with both features may lose one of them, given the uncertainty in the data.
class RotationAngle {
 public:
  explicit RotationAngle(const PairOfFeatures& pair) {
    for (const RowOfPair& row : pair.rows)
      if (row.has == RowOfPair::both) {
        const auto [mean, sd] = row.angle();
        const double width = std::min(std::max(sd, 1e-6), 0.5);
        angles_.push_back({turned(mean), width});
        angles_.push_back({turned(mean + M_PI_2), width});
      }
  }

  double draw(Rng& rng) const {
    if (angles_.empty() || rng.bernoulli(0.5)) return M_PI * (rng.uniform() - 0.5);
    const auto [mean, sd] = angles_[rng.below(static_cast<int>(angles_.size()))];
    return turned(mean + sd * rng.normal());
  }
  double log_density(double angle) const {
    if (angles_.empty()) return -std::log(M_PI);
    double near = 0;
    for (const auto& [mean, sd] : angles_)
      for (double turn : {-M_PI, 0.0, M_PI}) {
        const double far = (turned(angle - mean) + turn) / sd;
        if (std::abs(far) < 38) near += std::exp(-0.5 * far * far) / sd;
      }
    near /= angles_.size() * std::sqrt(2 * M_PI);
    return std::log(0.5 / M_PI + 0.5 * near);
  }

 private:
  static double turned(double angle) { return angle - M_PI * std::round(angle / M_PI); }

  std::vector<RowOfPair::Angle> angles_;
};

/// Rotates the loadings of features k and l and redraws which of the two features (at least one)
/// each of their rows has. Otherwise, to separate two features that are mixed, the chain would have
/// to cross states that explain the data badly. Weights are integrated out, and drawn at the end.
template <class Chain>
bool rotate(Chain& chain, int k, int l) {
  auto& [z, prior, likelihood, rng] = chain;
  const PairOfFeatures before(chain, k, l);
  const RotationAngle angles(before);
  const double angle = angles.draw(rng);
  PairOfFeatures after = before;
  after.rotate(angle);
  after.draw(rng);
  Bits first(z.rows()), second(z.rows());
  for (const RowOfPair& row : after.rows) {
    if (row.has != RowOfPair::second) first.set(row.row);
    if (row.has != RowOfPair::first) second.set(row.row);
  }
  if (first.count() == 0 || second.count() == 0) return false;
  const double log_accept =
      after.log_importance() - before.log_importance() + prior.log_ratio_replaced(z, k, first) +
      prior.log_ratio_replaced(z, l, second) + likelihood.log_ratio_rotated(k, l, angle) +
      RotationAngle(after).log_density(-angle) - angles.log_density(angle);
  if (!(std::log(rng.uniform()) < log_accept)) return false;
  likelihood.rotate(k, l, angle, rng);
  z.replace(k, first);
  prior.replaced(z, k);
  z.replace(l, second);
  prior.replaced(z, l);
  for (const RowOfPair& row : after.rows) likelihood.redraw_weights(z, row.row, rng);
  return true;
}

/// Rotates random pairs of features. Their number is the number of features or, if there are few
/// rows, the number of pairs, limited to 1000 visits of rows.
struct RotatePairs {
  static constexpr const char* name = "rotation";

  template <class Chain>
  static Tally run(Chain& chain, const Check& = no_check) {
    const int size = chain.z.size();
    chain.likelihood.begin_rotations();
    const int pairs = std::max(size, std::min(1000 / chain.z.rows(), size * (size - 1) / 2));
    Tally tally;
    for (int n = 0; n < pairs && size > 1; ++n) {
      const int k = chain.rng.below(size), l = chain.rng.below(size);
      if (k != l) tally.add(rotate(chain, k, l));
    }
    return tally;
  }
};

}  // namespace buffet
