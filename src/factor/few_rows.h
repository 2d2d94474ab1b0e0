#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "core/tally.h"
#include "gaussian/gaussian_data.h"
#include "loadings_given_weights.h"
#include "rank_one.h"
#include "spread_sums.h"

namespace buffet {

/// Likelihood of one row as a function of a weight v, with the loadings integrated out. Given the
/// other rows, the loading in column d is normal with precision p_d and mean u_d / p_d; the row has
/// precision t_d there (0: missing) and residual w_d / t_d without the feature. Padded as
/// SpreadSums requires.
class WeightOfRow {
 public:
  Eigen::ArrayXd p, u, t, w;
  Eigen::ArrayXd mean;  ///< given the other rows

  explicit WeightOfRow(Eigen::Index columns)
      : p(Eigen::ArrayXd::Ones(SpreadSums::padded(columns))),
        u(Eigen::ArrayXd::Zero(p.size())),
        t(u),
        w(u) {}

  /// Call after setting p and u.
  void set_others() {
    mean = u / p;
    without_ = log_density(0);
  }
  /// Log density of the row given v, minus its log density given 0.
  double log_ratio(double v) const { return log_density(v) - without_; }

 private:
  double log_density(double v) const {
    constexpr int block = SpreadSums::block;
    using Block = SpreadSums::Block;
    const auto square = [&](Eigen::Index d) -> Block {
      return (u.segment<block>(d) + v * w.segment<block>(d)).square();
    };
    const auto precision = [&](Eigen::Index d) -> Block {
      return p.segment<block>(d) + v * v * t.segment<block>(d);
    };
    const SpreadSums sums(p.size(), square, precision);
    return 0.5 * (sums.fit - sums.log);
  }

  double without_ = 0;
};

/// Proposes a weight from its prior times exp(u v - lambda v^2 / 2), which approximates log_ratio()
/// near its mode.
template <class Law>
class WeightProposal {
 public:
  explicit WeightProposal(const WeightOfRow& row) : row_(row) {
    u_ = (row.w * row.mean).sum();
    lambda_ = (row.t * row.mean.square()).sum();
    for (int n = 0; n < 2; ++n) touch(u_ / (1 + lambda_));
  }
  double draw(Rng& rng) const { return Law::draw_given(u_, lambda_, rng); }
  /// Log ratio of the density of a weight, relative to the row without it, to its proposal density.
  double log_importance(double v) const {
    return row_.log_ratio(v) + Law::log_mean(u_, lambda_) - u_ * v + 0.5 * lambda_ * v * v;
  }

 private:
  void touch(double v) {
    constexpr int block = SpreadSums::block;
    using Block = SpreadSums::Block;
    Block slopes = Block::Zero(), bends = Block::Zero();
    for (Eigen::Index d = 0; d < row_.p.size(); d += block) {
      const Block w = row_.w.segment<block>(d), t = row_.t.segment<block>(d), tv = v * t;
      const Block variance = (row_.p.segment<block>(d) + v * tv).inverse();
      const Block mean = (row_.u.segment<block>(d) + v * w) * variance;
      const Block moves = (w - 2 * tv * mean) * variance, square = mean.square() + variance;
      slopes += w * mean - tv * square;
      bends += w * moves - t * square - 2 * tv * (mean * moves - tv * variance.square());
    }
    const double slope = slopes.sum(), bend = bends.sum();
    if (!(bend < -0.2 * lambda_)) return;
    lambda_ = -bend;
    u_ = slope + lambda_ * v;
  }

  const WeightOfRow& row_;
  double u_, lambda_;
};

/// Updates the entries of features that few rows have, with the loadings of the feature integrated
/// out. With the loadings fixed, a row could hardly gain or lose the feature, because they depend
/// on all rows that have it.
template <class Law>
class FewRows {
 public:
  /// Loadings, D x K, and weights, N x K, which are redrawn.
  struct Parts {
    Eigen::MatrixXd &a, &v;
  };
  FewRows(const GaussianData& data, const EntryPrecisions& noise, Eigen::ArrayXd shrinkage,
          Parts parts)
      : data_(data),
        noise_(noise),
        shrinkage_(std::move(shrinkage)),
        a_(parts.a),
        v_(parts.v),
        row_(a_.rows()) {}

  /// True if any feature is in few enough rows.
  static bool any(const Features& z) {
    for (int k = 0; k < z.size(); ++k)
      if (z.count(k) <= most + 1) return true;
    return false;
  }

  template <class Prior>
  Tally visit(Features& z, Prior& prior, Rng& rng) {
    Tally tally;
    rest_ = residuals(data_, a_, v_);
    std::vector<int> order;
    rng.permutation(z.size(), order);
    for (int k : order) {
      others_known_ = false;
      for (int i = 0; i < z.rows(); ++i)
        if (const int others = z.count_without(i, k); others >= 1 && others <= most)
          tally.add(draw_bit(z, prior, {i, k}, rng));
    }
    return tally;
  }

 private:
  static constexpr int most = 4;

  struct Entry {
    int i, k;
  };

  /// Returns whether the bit was flipped.
  template <class Prior>
  bool draw_bit(Features& z, Prior& prior, Entry entry, Rng& rng) {
    const auto [i, k] = entry;
    set_row(z, entry);
    const WeightProposal<Law> proposal(row_);
    const bool on = z.at(i, k);
    others_known_ = !on;
    double v = proposal.draw(rng);
    // Done whether or not the row then loses the feature: doing this only if the row keeps the
    // feature would favour weights with which the row rarely loses it.
    if (on &&
        !(std::log(rng.uniform()) < proposal.log_importance(v) - proposal.log_importance(v_(i, k))))
      v = v_(i, k);
    const double log_accept = prior.log_odds(z, i, k) + proposal.log_importance(v);
    const bool flips = std::log(rng.uniform()) < (on ? -log_accept : log_accept);
    if (flips) {
      others_known_ = false;
      z.flip(i, k);
      prior.flipped(z, i, k);
      if (on) v = 0;
    }
    if (on || flips) draw_loading(z, entry, v, rng);
    return flips;
  }

  Eigen::ArrayXd without(int i, int k) const { return rest_.col(i) + v_(i, k) * a_.col(k); }

  void set_row(const Features& z, Entry entry) {
    const int i = entry.i, k = entry.k;  // lambdas cannot capture structured bindings
    const Eigen::Index size = a_.rows();
    if (z.at(i, k) || !others_known_) {
      auto p = row_.p.head(size), u = row_.u.head(size);
      p.setConstant(shrinkage_(k));
      u.setZero();
      z.column(k).for_each([&](int other) {
        if (other == i) return;
        const Eigen::ArrayXd t = v_(other, k) * noise_.of_row(data_, other);
        p += v_(other, k) * t;
        u += t * without(other, k);
      });
      row_.set_others();
    }
    auto t = row_.t.head(size);
    t = noise_.of_row(data_, i);
    row_.w.head(size) = t * rest_.col(i).array();
    if (z.at(i, k)) row_.w.head(size) += v_(i, k) * t * a_.col(k).array();
  }

  /// Draws the loadings of the feature, which has weight v in the row.
  void draw_loading(const Features& z, Entry entry, double v, Rng& rng) {
    const int i = entry.i, k = entry.k;
    const Eigen::Index size = a_.rows();
    const Eigen::ArrayXd precision = (row_.p + v * v * row_.t).head(size);
    const Eigen::VectorXd loading = (row_.u + v * row_.w).head(size) / precision +
                                    normal_vector(size, 1, rng).array() / precision.sqrt();
    rest_.col(i) += v_(i, k) * a_.col(k) - v * loading;
    z.column(k).for_each([&](int other) {
      if (other != i) rest_.col(other) += v_(other, k) * (a_.col(k) - loading);
    });
    v_(i, k) = v;
    a_.col(k) = loading;
  }

  const GaussianData& data_;
  const EntryPrecisions& noise_;
  Eigen::ArrayXd shrinkage_;  ///< precision of the loadings of each feature
  Eigen::MatrixXd &a_, &v_;
  Eigen::MatrixXd rest_;  ///< residuals, D x N
  WeightOfRow row_;
  bool others_known_ = false;  ///< true if p and u are set for rows without the feature
};

}  // namespace buffet
