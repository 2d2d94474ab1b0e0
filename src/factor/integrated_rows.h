#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/features.h"
#include "core/log_sum.h"
#include "core/resize.h"
#include "core/rng.h"
#include "core/slice.h"
#include "core/tally.h"
#include "factor_noise.h"
#include "gaussian/gaussian_data.h"
#include "loading_scales.h"
#include "weight_laws.h"

namespace buffet {

struct Quadratic {
  double constant, linear, square;
  double operator()(double x) const { return constant + x * (linear + x * square); }
  double slope(double x) const { return linear + 2 * x * square; }
};

/// Log density, up to a constant, of `count` normal residuals of one row, whose variance and sum of
/// squares depend on one entry of the row.
struct ResidualDensity {
  int count;
  Quadratic variance, squares;

  double operator()(double x) const {
    const double s = variance(x);
    return -0.5 * (count * std::log(s) + squares(x) / s);
  }
  double slope(double x) const {
    const double s = variance(x);
    return -0.5 * (squares.slope(x) + (count - squares(x) / s) * variance.slope(x)) / s;
  }
};

/// Proposes a weight from a normal around the mode of its density given the other weights or, with
/// probability 1/5, from its prior, which makes every weight reachable.
class EntryProposal {
 public:
  EntryProposal(const ResidualDensity& density, double sd_of_loadings)
      : density_(density), scale_(sd_of_loadings), without_(density(0)) {
    double best = without_;
    for (double size = 0.03; size < 6; size *= 2.1)
      for (double v : {size, -size})
        if (const double at = density_(scale_ * v) - 0.5 * v * v; at > best) {
          best = at;
          mode_ = v;
        }
    double bend = bend_at(mode_);
    for (int n = 0; n < 3 && bend < -1; ++n) {
      mode_ -= std::min(std::max(slope(mode_) / bend, -0.5), 0.5);
      bend = bend_at(mode_);
    }
    sd_ = 1.1 / std::sqrt(std::max(-bend, 1.0));
  }

  double draw(Rng& rng) const {
    return rng.bernoulli(of_prior) ? rng.normal() : mode_ + sd_ * rng.normal();
  }
  /// Log ratio of the density of a weight, relative to the row without it, to its proposal density.
  double log_importance(double v) const {
    const double prior = NormalWeight::log_density(v);
    const double near = NormalWeight::log_density((v - mode_) / sd_) - std::log(sd_);
    return prior + density_(scale_ * v) - without_ -
           log_add(std::log(1 - of_prior) + near, std::log(of_prior) + prior);
  }

 private:
  static constexpr double of_prior = 0.2;

  double slope(double v) const { return scale_ * density_.slope(scale_ * v) - v; }
  double bend_at(double v) const { return (slope(v + 1e-4) - slope(v - 1e-4)) / 2e-4; }

  const ResidualDensity& density_;
  double scale_, without_, mode_ = 0, sd_;
};

/// Updates rows of Z o V with normal weights, and their noise, with the loadings of all features
/// integrated out: with the loadings fixed, one per column and feature, features that many rows
/// have would change slowly. Columns are N(0, G G' + Psi), G = (Z o V) diag(sds). Given the other
/// rows, row i is a regression on them whose residuals have the variance psi_i + g' B g and the sum
/// of squares x_i' x_i - 2 c' g + g' M g. Requires complete data and the same noise in all columns.
class IntegratedRows {
 public:
  /// data: the data, or other data with the same inner products of rows; v: weights, N x K, which
  /// are redrawn.
  IntegratedRows(const GaussianData& data, Eigen::MatrixXd& v, const LoadingScales& scales,
                 FactorNoise& noise)
      : data_(data), v_(v), scales_(scales), noise_(noise) {
    const Eigen::MatrixXd g = v_ * scales_.sds().matrix().asDiagonal();
    const Eigen::MatrixXd weighted = noise_.precisions().rows.matrix().asDiagonal() * g;
    with_x_ = data_.product(weighted);
    squares_.noalias() = with_x_.transpose() * with_x_;
    gram_.noalias() = g.transpose() * weighted;
  }

  int row() const { return row_; }
  void enter(int i) {
    row_ = i;
    add_row(-1);
    const Eigen::Index size = gram_.rows();
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
    b_ = (identity + gram_).llt().solve(identity);
    c_ = b_ * data_.times(with_x_, i);
    m_.noalias() = b_ * squares_ * b_;
    g_ = entries();
  }
  void leave() { add_row(1); }

  /// Updates the row's entries for features that other rows also have, in random order, because the
  /// stored order of the features depends on the state.
  template <class Prior>
  Tally draw_entries(Features& z, Prior& prior, Rng& rng) {
    Tally tally;
    bg_ = b_ * g_;
    mg_ = m_ * g_;
    thread_local std::vector<int> order;
    rng.permutation(z.size(), order);
    for (int k : order)
      if (z.count_without(row_, k) > 0) tally.add(draw_entry(z, prior, k, rng));
    return tally;
  }

  /// Samples the logarithm of the variance.
  void draw_noise(Rng& rng) {
    const double of_features = g_.dot(b_ * g_);
    const double squares = data_.square(row_) + g_.dot(m_ * g_ - 2 * c_);
    const auto log_density = [&](double log_variance) {
      const double variance = std::exp(log_variance), all = variance + of_features;
      return noise_.log_prior_of_row(row_, 1 / variance) - log_variance -
             0.5 * (data_.columns() * std::log(all) + squares / all);
    };
    noise_.set_row(row_, std::exp(-slice_within(std::log(variance()), log_density, 3, rng)));
  }

  /// Drop and append the row's singletons while the row is being visited.
  void drop(int k) {
    drop_column(with_x_, k);
    drop_both(squares_, k);
    drop_both(gram_, k);
  }
  void append() {
    append_column(with_x_, Eigen::VectorXd::Zero(with_x_.rows()));
    append_both(squares_, 0);
    append_both(gram_, 0);
  }

 private:
  double variance() const { return 1 / noise_.precisions().rows(row_); }
  Eigen::VectorXd entries() const { return v_.row(row_).transpose().array() * scales_.sds(); }

  /// Returns whether the bit was flipped.
  template <class Prior>
  bool draw_entry(Features& z, Prior& prior, int k, Rng& rng) {
    const double sd = scales_.sd(k), before = v_(row_, k);
    put(k, 0);
    const ResidualDensity density{
        data_.columns(),
        {variance() + g_.dot(bg_), 2 * bg_(k), b_(k, k)},
        {data_.square(row_) + g_.dot(mg_ - 2 * c_), 2 * (mg_(k) - c_(k)), m_(k, k)}};
    const EntryProposal proposal(density, sd);
    const bool on = z.at(row_, k);
    double v = proposal.draw(rng);
    // Done whether or not the row then loses the feature, as for features that few rows have.
    if (on &&
        !(std::log(rng.uniform()) < proposal.log_importance(v) - proposal.log_importance(before)))
      v = before;
    const double log_accept = prior.log_odds(z, row_, k) + proposal.log_importance(v);
    const bool flips = std::log(rng.uniform()) < (on ? -log_accept : log_accept);
    if (flips) {
      z.flip(row_, k);
      prior.flipped(z, row_, k);
      if (on) v = 0;
    }
    if (on || flips) {
      v_(row_, k) = v;
      put(k, sd * v);
    }
    return flips;
  }
  void put(int k, double g) {
    bg_ += (g - g_(k)) * b_.col(k);
    mg_ += (g - g_(k)) * m_.col(k);
    g_(k) = g;
  }

  /// Adds the row to sums over rows, or subtracts it.
  void add_row(double sign) {
    const Eigen::VectorXd g = entries(), weighted = noise_.precisions().rows(row_) * g;
    const Eigen::VectorXd with = data_.times(with_x_, row_);
    squares_ += sign * (weighted * with.transpose() + with * weighted.transpose()) +
                data_.square(row_) * weighted * weighted.transpose();
    gram_ += sign * weighted * g.transpose();
    for (Eigen::Index k = 0; k < g.size(); ++k)
      if (g(k) != 0) data_.add(row_, sign * weighted(k), with_x_.col(k));
  }

  const GaussianData& data_;
  Eigen::MatrixXd& v_;
  const LoadingScales& scales_;
  FactorNoise& noise_;
  Eigen::MatrixXd with_x_;   ///< X' Psi^-1 G, D x K
  Eigen::MatrixXd squares_;  ///< times its transpose
  Eigen::MatrixXd gram_;     ///< G' Psi^-1 G
  int row_ = 0;
  Eigen::MatrixXd b_, m_;
  Eigen::VectorXd c_, g_, bg_, mg_;
};

}  // namespace buffet
