#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "sweep.h"

namespace buffet {

/// A new row given the loadings that `likelihood` has of the features of the data. Beside it stands
/// one that has all of these, as the rows of the data have them.
template <class Data, class Likelihood>
class KnownNewRow {
 public:
  KnownNewRow(const KnownNewRow&) = delete;  // likelihood_ points to data_

  template <class LogOdds, class Rule>
  void sweep(LogOdds log_odds, Rule rule, Rng& rng) {
    likelihood_.enter(z_, 1);
    rng.permutation(z_.size(), order_);
    for (int k : order_) {
      if (z_.is_own(1, k)) continue;
      if (rule(log_odds(k) + likelihood_.log_ratio(k)) == z_.at(1, k)) continue;
      z_.flip(1, k);
      flip_of(likelihood_, k, rng);
    }
  }

  /// For what asks and sets single bits before there is a feature of its own.
  void enter() { likelihood_.enter(z_, 1); }
  double log_ratio(int k) { return likelihood_.log_ratio(k); }
  void set(int k, bool on, Rng& rng) {
    if (z_.at(1, k) == on) return;
    z_.flip(1, k);
    flip_of(likelihood_, k, rng);
  }

  /// Draws what only the new row has; ends the sweep.
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    likelihood_.leave(z_, likelihood_.draw_own(log_prior_ratio, rng));
  }

  /// Bits of the features of the data, which stay in front.
  Eigen::VectorXd bits(int count) const {
    Eigen::VectorXd bits(count);
    for (int k = 0; k < count; ++k) bits(k) = z_.at(1, k);
    return bits;
  }

 protected:
  /// `scales`: what the likelihood takes besides the data.
  template <class Scales>
  KnownNewRow(Data data, const Scales& scales, int features)
      : data_(std::move(data)), likelihood_(data_, scales), z_(2) {
    for (int k = 0; k < features; ++k) {
      Bits column(2);
      column.set(0);
      z_.add(column);
    }
  }

  /// The new row after one of which everything is missing.
  template <class Row>
  static auto both(const Row& row) {
    using Both = Eigen::Matrix<typename Row::Scalar, Eigen::Dynamic, 2>;
    Both both = Both::Zero(row.size(), 2);
    both.col(1) = row;
    return both;
  }

  Data data_;
  Likelihood likelihood_;
  Features z_;

 private:
  std::vector<int> order_;
};

struct NewRowMeans {
  Eigen::VectorXd response, features;
};

/// Draws two bits of a row, given the others, of their four states at a temperature. `log_odds` are
/// the prior's.
template <class Row, class LogOdds>
void draw_pair(Row& row, std::pair<int, int> at, LogOdds log_odds, double temperature, Rng& rng) {
  const auto [k, l] = at;
  const auto ratio = [&](int of) { return (log_odds(of) + row.log_ratio(of)) / temperature; };
  row.set(l, false, rng);
  const double first = ratio(k);
  row.set(k, false, rng);
  const double second = ratio(l);
  row.set(l, true, rng);
  const double both = second + ratio(k);
  const double most = std::max({0.0, first, second, both});
  const std::array<double, 4> weights{std::exp(-most), std::exp(first - most),
                                      std::exp(second - most), std::exp(both - most)};
  double left = rng.uniform() * (weights[0] + weights[1] + weights[2] + weights[3]);
  int state = 0;
  while (state < 3 && (left -= weights[state]) > 0) ++state;
  row.set(k, state % 2 == 1, rng);
  row.set(l, state >= 2, rng);
}

/// Samples a row that was not among the data, given one draw of theirs. It cools down from a high
/// temperature, then its means are taken over the last half of the Gibbs sweeps. `prior` is that of
/// one row more than z has.
template <class Prior>
struct NewRowSampler {
  const Features& z;
  const Prior& prior;
  int sweeps;

  template <class Row>
  NewRowMeans sample(Row&& row, Rng& rng) const {
    const auto log_odds = [&](int k) { return prior.log_odds_of(z.count(k)); };
    const auto log_own_ratio = [&](int j) { return prior.log_own_ratio(z.rows(), z.size(), j); };
    cool(row, log_odds, rng);
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

 private:
  /// Each bit with another in turn: features whose sums are alike change places, which one bit at a
  /// time would not.
  template <class Row, class LogOdds>
  void cool(Row& row, LogOdds log_odds, Rng& rng) const {
    const int size = z.size();
    row.enter();
    for (double temperature = 256; size > 1 && temperature >= 1; temperature /= 2)
      for (int k = 0; k < size; ++k) {
        const int step = 1 + rng.below(size - 1);
        draw_pair(row, {k, (k + step) % size}, log_odds, temperature, rng);
      }
  }
};

}  // namespace buffet
