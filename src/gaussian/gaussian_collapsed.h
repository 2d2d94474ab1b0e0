#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/likelihood.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "gaussian_marginal.h"
#include "gaussian_row.h"

namespace buffet {

/// Collapsed Gaussian likelihood, visited row by row: O(1) per bit and O(K^2) per row. During a
/// visit to row i, "without" marks quantities of the other rows:
///
/// u = M_without z,  g = G_without z, c = mu_without x,  t = z u and r = |x - z mu_without|^2, so
/// that x ~ N(z mu_without, sigma_x^2 (1 + t)).
///
/// Missing entries are drawn together with their row: first the row's bits with the missing entries
/// integrated out, with g, c and r over the observed entries only; then the missing entries given
/// the bits. B = mu_without over them.
class GaussianCollapsed : public GaussianMarginal {
 public:
  using Searcher = GaussianCollapsed;
  static constexpr bool keeps_loadings = false, searches = true;

  using GaussianMarginal::GaussianMarginal;

  const GaussianCollapsed& searcher() const { return *this; }
  void adopt(GaussianCollapsed searcher, const Features&) { *this = std::move(searcher); }

  void enter(const Features& z, int i) {
    row_ = i;
    changed_ = false;
    const int size = z.size();
    z_.resize(size);
    own_.clear();
    for (int k = 0; k < size; ++k) {
      z_(k) = z.at(i, k);
      if (z.is_own(i, k)) own_.push_back(k);
    }
    remove_row(z);
    lengths_ = moments_.g.diagonal() - 2 * v_.cwiseProduct(me_) + ee_ * v_.cwiseAbs2();
    if (data().hidden_count(row_) > 0) hide();
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double log_ratio(int k) const {
    const double by = step(k);
    const RowPosition next = flipped(k);
    return by * (density()(next) - density()(at_));
  }

  /// True if flipping both bits may leave the fit of the row nearly unchanged while flipping one
  /// does not. This depends only on the other rows.
  bool coupled(int k, int l) const {
    const double least = lengths_(k) + lengths_(l) - 2 * std::abs(loading_product(k, l));
    return least < Flips::within_reach * noise_variance();
  }

  /// Log densities of the row with each subset of the given bits flipped, up to a constant.
  void log_densities(const int* bits, int size, double* out) const {
    QuadraticOfFlips t{at_.t}, r{at_.r};
    for (int a = 0; a < size; ++a) {
      const int k = bits[a];
      const double by = step(k);
      t.one[a] = 2 * by * u_(k) + m_without(k, k);
      r.one[a] = 2 * by * (g_(k) - c_(k)) + g_without(k, k);
      for (int b = 0; b < a; ++b) {
        const double both = 2 * by * step(bits[b]);
        t.two[a][b] = both * m_without(k, bits[b]);
        r.two[a][b] = both * g_without(k, bits[b]);
      }
    }
    std::array<double, Flips::subsets> ts, rs;
    t.values(size, ts.data());
    r.values(size, rs.data());
    const RowDensity of_row = density();
    for (int c = 0; c < 1 << size; ++c)
      out[c] = of_row({std::max(0.0, ts[c]), std::max(0.0, rs[c])});
  }

  /// Flips bit k of the row.
  void flip(int k) {
    const double by = step(k);
    const RowPosition next = flipped(k);
    u_ += by * (moments_.m.col(k) + v_ * (v_(k) * left_));
    g_ += by * (moments_.g.col(k) - v_ * me_(k) - me_ * v_(k) + v_ * (ee_ * v_(k)));
    if (hides()) g_ -= by * (b_ * b_.row(k).transpose());
    at_ = next;
    z_(k) += by;
    x_.add(row_, by, statistics_.p.col(k));
    changed_ = true;
  }

  /// Number of the row's singletons.
  int own_count() const { return static_cast<int>(own_.size()); }

  /// Draws the number of the row's singletons and its missing entries.
  /// log_prior_ratio(j) = log P(j + 1) - log P(j).
  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const RowPosition none{std::max(0.0, at_.t - own_count() / rho()), at_.r};
    const int own = draw_own_count(log_prior_ratio, OwnDensity{density(), none}, rng);
    if (hides()) draw_hidden(none.t + own / rho(), rng);
    return own;
  }

  /// Ends the visit with `own` singletons of the row; updates z accordingly.
  void leave(Features& z, int own) {
    if (!changed_ && own == own_count()) return;
    if (hides()) unhide();
    resize_own(z, own);
    // Uses the same matrix from which w is subtracted; otherwise rounding errors grow from row to
    // row.
    u_ = times_row(moments_.m) + v_ * (left_ * v_.dot(z_));
    settle(x_.square(row_));
    restore_row();
  }

 private:
  RowDensity density() const {
    return {double(data().observed(row_)), noise_variance(), rho(), most_own_};
  }

  double step(int k) const { return z_(k) > 0 ? -1.0 : 1.0; }
  bool hides() const { return b_.cols() > 0; }

  RowPosition flipped(int k) const {
    const double by = step(k);
    return {std::max(0.0, at_.t + 2 * by * u_(k) + m_without(k, k)),
            std::max(0.0, at_.r + 2 * by * (g_(k) - c_(k)) + g_without(k, k))};
  }

  double m_without(int k, int l) const { return moments_.m(k, l) + left_ * v_(k) * v_(l); }
  /// The inner product of two features' loadings over all entries, and over the observed ones.
  double loading_product(int k, int l) const {
    return moments_.g(k, l) - v_(k) * me_(l) - me_(k) * v_(l) + ee_ * v_(k) * v_(l);
  }
  double g_without(int k, int l) const {
    return loading_product(k, l) - (hides() ? b_.row(k).dot(b_.row(l)) : 0);
  }

  /// M_without = M + left v v', G_without = G - v me' - me v' + ee v v', which are never formed
  /// here.
  void remove_row(const Features& z) {
    const Eigen::VectorXd y = x_.times(statistics_.p, row_);
    b_.resize(0, 0);
    const Eigen::VectorXd mz = times_row(moments_.m);
    left_ = 1 - z_.dot(mz);
    if (left_ < 1e-4) return remove_row_afresh(z, y);
    const double xx = x_.square(row_);
    const Eigen::VectorXd mx = moments_.m * y, gz = times_row(moments_.g);
    const double zmx = z_.dot(mx);
    ee_ = std::max(0.0, xx - 2 * zmx + z_.dot(gz));
    me_ = mx - gz;
    v_ = mz / left_;
    u_ = v_;
    g_ = gz - v_ * me_.dot(z_) - me_ * v_.dot(z_) + v_ * (ee_ * v_.dot(z_));
    c_ = mx - v_ * (xx - zmx);
    at_.t = (1 - left_) / left_;
    at_.r = ee_ / (left_ * left_);
  }

  /// A symmetric matrix times z: the sum of the columns of features that are on.
  Eigen::VectorXd times_row(const Eigen::MatrixXd& m) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(z_.size());
    for (int k = 0; k < z_.size(); ++k)
      if (z_(k) > 0) sum += m.col(k);
    return sum;
  }

  /// Recomputes M_without and G_without from scratch if row i alone determines a direction, in
  /// which case the update would lose all digits.
  void remove_row_afresh(const Features& z, const Eigen::VectorXd& y) {
    GaussianStatistics rest = statistics_;
    rest.set_counts(z);
    rest.c.noalias() -= z_ * z_.transpose();
    rest.p.noalias() -= x_.row(row_) * z_.transpose();
    moments_.set(rest, rho());
    v_.setZero(z_.size());
    me_.setZero(z_.size());
    ee_ = left_ = 0;
    u_ = moments_.m * z_;
    g_ = moments_.g * z_;
    c_ = moments_.m * (y - z_ * x_.square(row_));
    settle(x_.square(row_));
    changed_ = true;
  }

  /// t and r from u, g and c.
  void settle(double square) {
    at_.t = std::max(0.0, z_.dot(u_));
    at_.r = std::max(0.0, square - 2 * z_.dot(c_) + z_.dot(g_));
  }

  /// Subtracts the missing entries from g, c and r.
  void hide() {
    Eigen::MatrixXd q(z_.size(), data().hidden_count(row_));  // over the other rows
    int h = 0;
    x_.for_hidden(row_, [&](int d, double value) {
      q.col(h++) = statistics_.p.row(d).transpose() - z_ * value;
    });
    b_ = moments_.m * q;
    b_.noalias() += v_ * (left_ * (v_.transpose() * q));
    g_ -= b_ * (b_.transpose() * z_);
    c_ -= b_ * x_.hidden(row_);
    settle(data().square(row_));
  }

  /// Draws the missing entries given the rest of the row; updates P.
  void draw_hidden(double t, Rng& rng) {
    const double sd = std::sqrt(noise_variance() * (1 + t));
    const Eigen::VectorXd noise = normal_vector(b_.cols(), sd, rng);
    const Eigen::VectorXd change = b_.transpose() * z_ + noise - x_.hidden(row_);
    x_.hidden(row_) += change;
    int h = 0;
    data().for_hidden(row_, [&](int d) { statistics_.p.row(d) += change(h++) * z_.transpose(); });
    changed_ = true;
  }

  /// Adds the missing entries to g and c again.
  void unhide() {
    g_ += b_ * (b_.transpose() * z_);
    c_ += b_ * x_.hidden(row_);
    b_.resize(0, 0);
  }

  void resize_own(Features& z, int own) {
    while (own_count() > own) {
      const int k = own_.back();  // own_ increases, so the feature moved to k is not in it
      own_.pop_back();
      z.drop(k);
      for (auto* vector : {&z_, &u_, &g_, &c_, &v_, &me_}) drop_entry(*vector, k);
      drop_column(statistics_.p, k);
      moments_.drop(k);
    }
    while (own_count() < own) {
      const int k = z.size();
      own_.push_back(k);
      z.add_own(row_);
      append_entry(z_, 1);
      append_entry(u_, 1 / rho());
      for (auto* vector : {&g_, &c_, &v_, &me_}) append_entry(*vector, 0);
      append_column(statistics_.p, x_.row(row_));
      moments_.append(1 / rho());
    }
  }

  /// Updates M and G from the old row to the new one: M_without - u w', w = u/(1 + t), and
  /// G_without + w q' + q w' + r w w', q = c - g, in one pass each.
  void restore_row() {
    const Eigen::VectorXd w = u_ / (1 + at_.t), q = c_ - g_;
    Eigen::MatrixXd left(z_.size(), 4), right(z_.size(), 4);
    left << ee_ * v_ - me_, -v_, at_.r * w + q, w;
    right << v_, me_, w, q;
    moments_.g.noalias() += left * right.transpose();
    left.leftCols(2) << left_ * v_, -w;
    right.leftCols(2) << v_, u_;
    moments_.m.noalias() += left.leftCols(2) * right.leftCols(2).transpose();
  }

  int row_ = 0;
  bool changed_ = false;
  std::vector<int> own_;
  Eigen::VectorXd z_, u_, g_, c_, v_, me_;
  Eigen::VectorXd lengths_;  ///< squared lengths of the features' loadings given the other rows
  Eigen::MatrixXd b_;
  double left_ = 1, ee_ = 0;
  RowPosition at_{0, 0};
};

}  // namespace buffet
