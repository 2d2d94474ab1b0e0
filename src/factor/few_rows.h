#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/features.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "likelihood/gaussian_data.h"
#include "loadings_given_weights.h"
#include "residuals.h"

namespace buffet {

/// What one row says of a weight v, the loadings integrated out: given other rows the loading in
/// column d is normal with precision p_d and mean u_d / p_d, and the row has precision t_d there
/// (0: missing) and residual w_d / t_d without the feature.
struct WeightOfRow {
  Eigen::ArrayXd p, u, t, w;

  /// Log density of the row given v over that given 0.
  double log_ratio(double v) const {
    double log = 0, product = 1, fit = 0;
    for (Eigen::Index d = 0; d < p.size(); ++d) {
      const double precision = p(d) + v * v * t(d), sum = u(d) + v * w(d);
      product *= precision / p(d);
      fit += sum * sum / precision - u(d) * u(d) / p(d);
      if (product < 1e200) continue;
      log += std::log(product);
      product = 1;
    }
    return 0.5 * (fit - log - std::log(product));
  }
};

/// Proposes a weight by its law times exp(u v - lambda v^2 / 2), which touches log_ratio() near its
/// mode.
template <class Law>
class WeightProposal {
 public:
  explicit WeightProposal(const WeightOfRow& row) : row_(row) {
    const Eigen::ArrayXd mean = row.u / row.p;
    u_ = (row.w * mean).sum();
    lambda_ = (row.t * mean.square()).sum();
    for (int n = 0; n < 2; ++n) touch(u_ / (1 + lambda_));
  }
  double draw(Rng& rng) const { return Law::draw_given(u_, lambda_, rng); }
  /// Log of the density of a weight, that of the row without it being 1, over that of its proposal.
  double log_importance(double v) const {
    return row_.log_ratio(v) + Law::log_mean(u_, lambda_) - u_ * v + 0.5 * lambda_ * v * v;
  }

 private:
  void touch(double v) {
    const Eigen::ArrayXd precision = row_.p + v * v * row_.t;
    const Eigen::ArrayXd mean = (row_.u + v * row_.w) / precision, tv = v * row_.t;
    const Eigen::ArrayXd moves = (row_.w - 2 * tv * mean) / precision;
    const double slope = (row_.w * mean - tv * (mean.square() + 1 / precision)).sum();
    const double bend = (row_.w * moves - row_.t * (mean.square() + 1 / precision) -
                         2 * tv * (mean * moves - tv / precision.square()))
                            .sum();
    if (!(bend < -0.2 * lambda_)) return;
    lambda_ = -bend;
    u_ = slope + lambda_ * v;
  }

  const WeightOfRow& row_;
  double u_, lambda_;
};

/// Bits of features that few rows have, with the loadings of the feature integrated out: given
/// them, which remember all rows that had the feature, a row could hardly leave or join.
template <class Law>
class FewRows {
 public:
  FewRows(const GaussianData& data, const EntryPrecisions& noise, double shrinkage,
          Eigen::MatrixXd& a, Eigen::MatrixXd& v)
      : data_(data), noise_(noise), shrinkage_(shrinkage), a_(a), v_(v) {}

  /// Is there a feature that they are for?
  static bool any(const Features& z) {
    for (int k = 0; k < z.size(); ++k)
      if (z.count(k) <= most + 1) return true;
    return false;
  }

  template <class Prior>
  void visit(Features& z, Prior& prior, Rng& rng) {
    rest_ = residuals(data_, a_, v_);
    for (int k = 0; k < z.size(); ++k)
      for (int i = 0; i < z.rows(); ++i)
        if (const int others = z.count_without(i, k); others >= 1 && others <= most)
          draw_bit(z, prior, k, i, rng);
  }

 private:
  static constexpr int most = 4;

  template <class Prior>
  void draw_bit(Features& z, Prior& prior, int k, int i, Rng& rng) {
    set_row(z, k, i);
    const WeightProposal<Law> proposal(row_);
    const bool on = z.at(i, k);
    const double v = on ? v_(i, k) : proposal.draw(rng);
    const double log_accept = prior.log_odds(z, i, k) + proposal.log_importance(v);
    if (std::log(rng.uniform()) < (on ? -log_accept : log_accept)) {
      z.flip(i, k);
      prior.flipped(z, i, k);
      return draw_loading(z, k, i, on ? 0 : v, rng);
    }
    if (!on) return;
    const double other = proposal.draw(rng);
    const double log_ratio = proposal.log_importance(other) - proposal.log_importance(v);
    draw_loading(z, k, i, std::log(rng.uniform()) < log_ratio ? other : v, rng);
  }

  /// Precisions of the entries of a row, 0 where they are missing.
  Eigen::ArrayXd precisions(int i) const {
    Eigen::ArrayXd of = noise_.rows(i) * noise_.columns;
    data_.for_hidden(i, [&](int d) { of(d) = 0; });
    return of;
  }
  Eigen::ArrayXd without(int i, int k) const { return rest_.col(i) + v_(i, k) * a_.col(k); }

  void set_row(const Features& z, int k, int i) {
    row_.p = Eigen::ArrayXd::Constant(a_.rows(), shrinkage_);
    row_.u = Eigen::ArrayXd::Zero(a_.rows());
    z.column(k).for_each([&](int other) {
      if (other == i) return;
      const Eigen::ArrayXd t = v_(other, k) * precisions(other);
      row_.p += v_(other, k) * t;
      row_.u += t * without(other, k);
    });
    row_.t = precisions(i);
    row_.w = row_.t * without(i, k);
  }

  /// Of feature k, with weight v in row i.
  void draw_loading(const Features& z, int k, int i, double v, Rng& rng) {
    const Eigen::ArrayXd precision = row_.p + v * v * row_.t;
    const Eigen::VectorXd loading = (row_.u + v * row_.w) / precision +
                                    normal_vector(a_.rows(), 1, rng).array() / precision.sqrt();
    rest_.col(i) += v_(i, k) * a_.col(k) - v * loading;
    z.column(k).for_each([&](int other) {
      if (other != i) rest_.col(other) += v_(other, k) * (a_.col(k) - loading);
    });
    v_(i, k) = v;
    a_.col(k) = loading;
  }

  const GaussianData& data_;
  const EntryPrecisions& noise_;
  double shrinkage_;
  Eigen::MatrixXd &a_, &v_;
  Eigen::MatrixXd rest_;  ///< of the data, D x N
  WeightOfRow row_;
};

}  // namespace buffet
