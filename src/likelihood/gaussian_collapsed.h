#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"
#include "gaussian_columns.h"
#include "gaussian_data.h"
#include "gaussian_moments.h"
#include "gaussian_row.h"
#include "gaussian_scales.h"
#include "gaussian_statistics.h"
#include "normal_vector.h"

namespace buffet {

/// X | Z ~ N(Z A, sigma_x^2), A ~ N(0, sigma_a^2) with A integrated out (Griffiths & Ghahramani
/// 2011, eq. 21), visited row by row in O(1) per bit and O(K^2) per row.
///
/// M, G and mu are those of LoadingsMoments, rho = sigma_x^2/sigma_a^2, P = X'Z. During a visit to
/// row i, "without" marks quantities of the other rows:  u = M_without z,  g = G_without z,  c =
/// mu_without x,  t = z u and r = |x - z mu_without|^2, so that x ~ N(z mu_without, sigma_x^2 (1 +
/// t)).
///
/// Missing entries are drawn with the row they are in: its bits with them integrated out, so that
/// g, c and r are over the observed entries, then they given its bits. B = mu_without over them.
class GaussianCollapsed {
 public:
  using Precisions = buffet::Precisions;
  using Searcher = GaussianCollapsed;
  static constexpr bool keeps_loadings = false;

  GaussianCollapsed(const GaussianData& data, Precisions precisions)
      : x_(data), scales_(data, precisions) {}

  /// Everything from scratch.
  void reset(const Features& z) {
    statistics_.set(z, x_);
    refresh(z);
  }

  /// M and G from Z and P: once a sweep, against rounding.
  void refresh(const Features& z) {
    statistics_.set_counts(z);
    statistics_.total = x_.total();
    invert();
  }

  // --- one row -------------------------------------------------------------------------------

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
    if (data().hidden_count(row_) > 0) hide();
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double log_ratio(int k) const {
    const double by = step(k);
    const RowPosition next = flipped(k);
    return by * (density()(next) - density()(at_));
  }

  /// Switches bit k of the row.
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

  /// How many features only this row has.
  int own_count() const { return static_cast<int>(own_.size()); }

  /// Draws how many features only this row has, log_prior_ratio(j) = log P(j + 1) - log P(j), and
  /// what it lacks.
  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const RowPosition none{std::max(0.0, at_.t - own_count() / rho()), at_.r};
    const int own = draw_own_count(log_prior_ratio, density(), none, rng);
    if (hides()) draw_hidden(none.t + own / rho(), rng);
    return own;
  }

  /// Ends the visit, with `own` features that only this row has; z follows.
  void leave(Features& z, int own) {
    if (!changed_ && own == own_count()) return;
    if (hides()) unhide();
    resize_own(z, own);
    // From the very matrix that w is taken off, or rounding errors grow from row to row.
    u_ = times_row(moments_.m) + v_ * (left_ * v_.dot(z_));
    settle(x_.square(row_));
    restore_row();
  }

  // --- whole columns -------------------------------------------------------------------------

  /// Of the observed entries. Between visits: needs fresh statistics, as do all that follow.
  double log_lik(const Features& z) const {
    if (data().complete()) return log_lik(statistics_);
    return GaussianColumns(z, x_, statistics_).log_lik(noise_variance(), rho());
  }
  /// Of the completed data.
  double log_lik(const GaussianStatistics& s) const { return scales_.log_lik(s); }

  /// Log likelihood with column k of z replaced minus that without, of the completed data. With b
  /// the coefficients of the new column on the others (Schur complement s), O(K^2 + K D).
  double log_ratio_replaced(int k, const Bits& column, const Features& z) const {
    Eigen::VectorXd c(z.size());
    for (int l = 0; l < z.size(); ++l) c(l) = l == k ? 0 : column.count_shared(z.column(l));
    Eigen::VectorXd b = moments_.m * c;
    b -= moments_.m.col(k) * (b(k) / moments_.m(k, k));
    b(k) = 0;
    const double s = column.count() + rho() - c.dot(b);
    if (!(s > 0)) return -std::numeric_limits<double>::infinity();
    const double fit = (x_.sum(column) - statistics_.p * b).squaredNorm();
    return -0.5 * data().columns() * std::log(moments_.m(k, k) * s) +
           0.5 * (fit / s - moments_.g(k, k) / moments_.m(k, k)) / noise_variance();
  }

  /// Posterior mean of the loadings, D x K in the coordinates of the data held here.
  Eigen::MatrixXd loadings() const { return statistics_.p * moments_.m; }

  const GaussianStatistics& statistics() const { return statistics_; }

  /// Takes over the statistics of a changed Z.
  void accept(GaussianStatistics statistics) {
    statistics_ = std::move(statistics);
    invert();
  }

  const GaussianData& data() const { return x_.data(); }
  const Completed& completed() const { return x_; }
  Completed& completed() { return x_; }
  double rho() const { return scales_.rho(); }
  double noise_variance() const { return scales_.variance(); }

  // --- hyperparameters -----------------------------------------------------------------------

  /// Draws the learned precisions. Needs fresh statistics.
  void update(const Features& z, Rng& rng) {
    if (scales_.update(z, statistics_, x_, rng)) invert();
  }

  static constexpr const char* hyperparameter_names[] = {"sigma_x", "sigma_a"};
  std::array<double, 2> hyperparameters() const { return {sigma_x(), sigma_a()}; }

  /// Log prior density of the learned precisions, or of their logarithms.
  double log_hyperprior() const { return precisions().x.log_prior() + precisions().a.log_prior(); }
  double log_hyperprior_of_logs() const {
    const auto& [x, a] = precisions();
    return x.log_prior_of_log(x.value) + a.log_prior_of_log(a.value);
  }

  double sigma_x() const { return scales_.sigma_x(); }
  double sigma_a() const { return scales_.sigma_a(); }
  const Precisions& precisions() const { return scales_.precisions(); }
  void set_precisions(double x, double a) { scales_.set_precisions(x, a); }

  template <class Archive>
  void archive(Archive& a) {
    a(x_);
    scales_.archive(a);
    a(statistics_.c);
    a(statistics_.p);
    a(statistics_.total);
    a(most_own_);
    if (Archive::reads()) invert();
  }

  // --- warm-up -------------------------------------------------------------------------------

  void restart() { scales_.restart(); }
  const GaussianCollapsed& searcher() const { return *this; }
  void adopt(GaussianCollapsed searcher, const Features&) { *this = std::move(searcher); }

  /// The noise floor at progress u in [0, 1]; up to the end rows get few features of their own, as
  /// one far from the others would take ever more and smaller ones.
  void anneal(double u) {
    scales_.anneal(u);
    most_own_ = u < 1 ? 10 : RowDensity::too_many;
    invert();
  }

 private:
  RowDensity density() const {
    return {double(data().observed(row_)), scales_.variance(), rho(), most_own_};
  }

  double step(int k) const { return z_(k) > 0 ? -1.0 : 1.0; }
  bool hides() const { return b_.cols() > 0; }

  RowPosition flipped(int k) const {
    const double by = step(k), v = v_(k);
    const double m_kk = moments_.m(k, k) + v * v * left_;
    double g_kk = moments_.g(k, k) - 2 * v * me_(k) + ee_ * v * v;
    if (hides()) g_kk -= b_.row(k).squaredNorm();
    return {std::max(0.0, at_.t + 2 * by * u_(k) + m_kk),
            std::max(0.0, at_.r + 2 * by * (g_(k) - c_(k)) + g_kk)};
  }

  /// M_without = M + left v v', G_without = G - v me' - me v' + ee v v', never formed here.
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

  /// A symmetric matrix times z: the sum of the columns that are on.
  Eigen::VectorXd times_row(const Eigen::MatrixXd& m) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(z_.size());
    for (int k = 0; k < z_.size(); ++k)
      if (z_(k) > 0) sum += m.col(k);
    return sum;
  }

  /// The same where row i alone determines something and the update would lose all digits.
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

  /// Takes the missing entries out of g, c and r.
  void hide() {
    Eigen::MatrixXd q(z_.size(), data().hidden_count(row_));  // P of the others
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

  /// Draws the missing entries given all that is known of the row; P follows.
  void draw_hidden(double t, Rng& rng) {
    const double sd = std::sqrt(noise_variance() * (1 + t));
    const Eigen::VectorXd noise = normal_vector(b_.cols(), sd, rng);
    const Eigen::VectorXd change = b_.transpose() * z_ + noise - x_.hidden(row_);
    x_.hidden(row_) += change;
    int h = 0;
    data().for_hidden(row_, [&](int d) { statistics_.p.row(d) += change(h++) * z_.transpose(); });
    changed_ = true;
  }

  /// Puts them back into g and c.
  void unhide() {
    g_ += b_ * (b_.transpose() * z_);
    c_ += b_ * x_.hidden(row_);
    b_.resize(0, 0);
  }

  void resize_own(Features& z, int own) {
    while (own_count() > own) {
      const int k = own_.back();  // own_ increases, so what takes the place of k is not in it
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

  /// From M and G with the old row to those with the new one: M_without - u w', w = u/(1 + t), and
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

  void invert() { moments_.set(statistics_, rho()); }

  Completed x_;
  GaussianScales scales_;

  GaussianStatistics statistics_;
  LoadingsMoments moments_;

  int row_ = 0;
  int most_own_ = RowDensity::too_many;
  bool changed_ = false;
  std::vector<int> own_;
  Eigen::VectorXd z_, u_, g_, c_, v_, me_;
  Eigen::MatrixXd b_;
  double left_ = 1, ee_ = 0;
  RowPosition at_{0, 0};
};

}  // namespace buffet
