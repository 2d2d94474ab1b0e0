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

/// A draw of a new row: the means of its entries, and the entries.
struct DrawnRow {
  Eigen::VectorXd mean, data;
};

/// A new row given the loadings in `likelihood` for the features of the data. It is accompanied by
/// a row that has all these features, because a feature of the data is present in some other row.
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

  /// Used by samplers that query and set single bits while the row has no singletons. If weights
  /// are drawn together with bits, the ratios of a reverse path do not match those of the forward
  /// path.
  static constexpr bool ratios_add_up = !DrawsWithBits<Likelihood>::value;
  void enter() { likelihood_.enter(z_, 1); }
  double log_ratio(int k) { return likelihood_.log_ratio(k); }
  void set(int k, bool on, Rng& rng) {
    if (z_.at(1, k) == on) return;
    z_.flip(1, k);
    flip_of(likelihood_, k, rng);
  }

  /// Draws the singletons of the new row; ends the sweep.
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    likelihood_.leave(z_, likelihood_.draw_own(log_prior_ratio, rng));
  }

  /// Bits of the features of the data, which remain the first ones.
  Eigen::VectorXd bits(int count) const {
    Eigen::VectorXd bits(count);
    for (int k = 0; k < count; ++k) bits(k) = z_.at(1, k);
    return bits;
  }

 protected:
  /// `scales`: further arguments of the likelihood.
  template <class Scales>
  KnownNewRow(Data data, const Scales& scales, int features)
      : data_(std::move(data)), likelihood_(data_, scales), z_(2) {
    for (int k = 0; k < features; ++k) {
      Bits column(2);
      column.set(0);
      z_.add(column);
    }
  }

  /// The new row, preceded by a row without observed entries.
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

/// Samples a row that is not in the data, given one draw of a fit. It is annealed from a high
/// temperature, then the second half of the Gibbs sweeps is averaged. `prior` is for one row more
/// than z has.
template <class Prior>
struct NewRowSampler {
  const Features& z;
  const Prior& prior;
  int sweeps;

  template <class Row>
  NewRowMeans sample(Row&& row, Rng& rng) const {
    const auto log_odds = [&](int k) { return log_odds_of(k); };
    const auto log_own_ratio = [&](int j) { return prior.log_own_ratio(z.rows(), z.size(), j); };
    cool(row, rng);
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
  double log_odds_of(int k) const { return prior.log_odds_of(z.count(k)); }

  static constexpr int few = 8;

  /// Draws an initial state, starting without features. If there are only a few features, they are
  /// drawn jointly. Otherwise, each in turn is drawn jointly with another one, because features
  /// with similar sums cannot be exchanged one at a time.
  template <class Row>
  void cool(Row& row, Rng& rng) const {
    const int size = z.size();
    row.enter();
    if constexpr (Row::ratios_add_up)
      if (size <= few) return draw_all(row, rng);
    for (double temperature = 256; size > 1 && temperature >= 1; temperature /= 2)
      for (int k = 0; k < size; ++k) {
        const int step = 1 + rng.below(size - 1);
        draw_pair(row, {k, (k + step) % size}, temperature, rng);
      }
  }

  /// Draws all bits of a row that starts without features. States are in Gray code order, so
  /// consecutive ones differ in one bit.
  template <class Row>
  void draw_all(Row& row, Rng& rng) const {
    Eigen::ArrayXd log_p = Eigen::ArrayXd::Zero(1 << z.size());
    int state = 0;
    for (int n = 1; n < log_p.size(); ++n) {
      int k = 0;
      while ((n >> k & 1) == 0) ++k;
      const double ratio = log_odds_of(k) + row.log_ratio(k);
      const int before = std::exchange(state, state ^ 1 << k);
      const bool on = state > before;
      log_p(state) = log_p(before) + (on ? ratio : -ratio);
      row.set(k, on, rng);
    }
    const Eigen::ArrayXd p = (log_p - log_p.maxCoeff()).exp();
    double left = rng.uniform() * p.sum();
    int drawn = 0;
    while (drawn + 1 < p.size() && (left -= p(drawn)) > 0) ++drawn;
    for (int k = 0; k < z.size(); ++k) row.set(k, drawn >> k & 1, rng);
  }

  /// Draws two bits of a row, given the others, from their four joint states, at a temperature.
  template <class Row>
  void draw_pair(Row& row, std::pair<int, int> at, double temperature, Rng& rng) const {
    const auto [k, l] = at;
    const auto ratio = [&](int of) { return (log_odds_of(of) + row.log_ratio(of)) / temperature; };
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
};

}  // namespace buffet
