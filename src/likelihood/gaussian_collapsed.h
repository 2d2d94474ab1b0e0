#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../core/features.h"
#include "../core/hyper.h"
#include "../core/rng.h"
#include "../inference/slice.h"
#include "gaussian_data.h"
#include "gaussian_statistics.h"

namespace buffet {

/// X | Z ~ N(Z A, sigma_x^2), A ~ N(0, sigma_a^2) with A integrated out (Griffiths & Ghahramani
/// 2011, eq. 21), visited row by row in O(1) per bit and O(K^2) per row.
///
/// M = (Z'Z + rho I)^-1, rho = sigma_x^2/sigma_a^2; mu = M Z'X is the posterior mean of A and
/// G = mu mu'. Only M, G and P = X'Z are kept. During a visit to row i, "without" marks quantities
/// of the other rows:  u = M_without z,  g = G_without z,  c = mu_without x,  t = z u and
/// r = |x - z mu_without|^2, so that x ~ N(z mu_without, sigma_x^2 (1 + t)).
class GaussianCollapsed {
 public:
  /// Precisions 1/sigma_x^2 and 1/sigma_a^2.
  struct Precisions {
    Hyper x, a;
  };

  GaussianCollapsed(const GaussianData& data, Precisions precisions)
      : data_(&data), tau_(precisions) {}

  /// Everything from scratch.
  void reset(const Features& z) {
    statistics_.set(z, *data_);
    refresh(z);
  }

  /// M and G from Z and P: once a sweep, against rounding.
  void refresh(const Features& z) {
    statistics_.set_products(z);
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
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double log_ratio(int k) const {
    const double by = step(k);
    const Position next = flipped(k);
    return by * (log_density(next) - log_density(at_));
  }

  /// Switches bit k of the row.
  void flip(int k) {
    const double by = step(k);
    const Position next = flipped(k);
    u_ += by * (m_.col(k) + v_ * (v_(k) * left_));
    g_ += by * (g_all_.col(k) - v_ * me_(k) - me_ * v_(k) + v_ * (ee_ * v_(k)));
    at_ = next;
    z_(k) += by;
    statistics_.p.col(k) += by * data_->x.col(row_);
    changed_ = true;
  }

  /// How many features only this row has.
  int own_count() const { return static_cast<int>(own_.size()); }

  /// Draws how many features only this row has; log_prior_ratio(j) = log P(j + 1) - log P(j).
  /// Each adds 1/rho to t and nothing to r. The sum ends where a bound on the rest is below
  /// rounding: the prior's ratio and the gain in fit both fall with j.
  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const double t = at_.t - own_count() / rho_;
    log_weights_.assign(1, log_density({t, at_.r}));
    double log_prior = 0, log_growth = infinity(), largest = log_weights_[0];
    for (int j = 1; log_weights_.back() > largest - 45 || log_growth > -0.7; ++j) {
      if (j > most_own) throw std::runtime_error(too_many_own);
      const double ratio = log_prior_ratio(j - 1), before = 1 + t + (j - 1) / rho_;
      if (ratio == -infinity()) break;
      log_prior += ratio;
      log_growth = ratio + 0.5 * at_.r / variance_ * (1 / before - 1 / (before + 1 / rho_));
      log_weights_.push_back(log_prior + log_density({t + j / rho_, at_.r}));
      largest = std::max(largest, log_weights_.back());
    }
    return draw_from_log_weights(largest, rng);
  }

  /// Ends the visit, with `own` features that only this row has; z follows.
  void leave(Features& z, int own) {
    const bool same_own = own == own_count();
    if (!changed_ && same_own) return;
    m_ += left_ * v_ * v_.transpose();
    g_all_ += ee_ * v_ * v_.transpose() - v_ * me_.transpose() - me_ * v_.transpose();
    resize_own(z, own);
    add_row();
  }

  // --- whole columns -------------------------------------------------------------------------

  double log_lik() const { return log_lik(statistics_); }

  /// Log likelihood of statistics s; log p(X | Z) of eq. 21 with D everywhere the true number of
  /// columns.
  double log_lik(const GaussianStatistics& s) const {
    const int size = static_cast<int>(s.c.rows());
    double sum = constant();
    if (size == 0) return sum;
    Eigen::MatrixXd a = s.c;
    a.diagonal().array() += rho_;
    const Eigen::LLT<Eigen::MatrixXd> llt(a);
    const double log_det = 2 * llt.matrixLLT().diagonal().array().log().sum();
    sum += 0.5 * data_->columns * (size * std::log(rho_) - log_det);
    return sum + 0.5 * llt.solve(s.q).trace() / variance_;
  }

  /// Posterior mean of the loadings, D x K in the coordinates of the data held here.
  Eigen::MatrixXd loadings() const { return statistics_.p * m_; }

  const GaussianStatistics& statistics() const { return statistics_; }

  /// Takes over the statistics of a changed Z.
  void accept(GaussianStatistics statistics) {
    statistics_ = std::move(statistics);
    invert();
  }

  const GaussianData& data() const { return *data_; }
  double rho() const { return rho_; }
  double noise_variance() const { return variance_; }

  // --- hyperparameters -----------------------------------------------------------------------

  /// Slice sampling of the precisions on the log scale, two rounds. Needs fresh statistics.
  void update(Rng& rng) {
    if (tau_.x.learned || tau_.a.learned) {
      const Spectrum spectrum = decompose();
      for (int round = 0; round < 2; ++round) {
        draw_precision(tau_.x, 0.1, spectrum, rng);
        draw_precision(tau_.a, 0.5, spectrum, rng);
      }
      invert();
    }
  }

  /// Log prior density of the learned precisions.
  double log_hyperprior() const { return tau_.x.log_prior() + tau_.a.log_prior(); }
  double log_hyperprior_of_logs() const {
    return tau_.x.log_prior_of_log(tau_.x.value) + tau_.a.log_prior_of_log(tau_.a.value);
  }

  static constexpr const char* hyperparameter_names[] = {"sigma_x", "sigma_a"};
  std::array<double, 2> hyperparameters() const { return {sigma_x(), sigma_a()}; }

  double sigma_x() const { return 1 / std::sqrt(tau_.x.value); }
  double sigma_a() const { return 1 / std::sqrt(tau_.a.value); }
  const Precisions& precisions() const { return tau_; }
  void set_precisions(double x, double a) {
    tau_.x.value = x;
    tau_.a.value = a;
    set_scales();
  }

  // --- warm-up -------------------------------------------------------------------------------

  /// What is learned starts at the data's root mean square.
  void restart() {
    const double tau = 1 / (data_->total > 0 ? std::pow(data_->root_mean_square(), 2) : 1);
    set_precisions(tau_.x.learned ? tau : tau_.x.value, tau_.a.learned ? tau : tau_.a.value);
  }

  /// At progress u in [0, 1] all moves run at a noise sd of at least rms F^(-u/.75), from u = .75
  /// on without that floor; F = 10, or what leads down to a fixed sigma_x.
  void anneal(double u) {
    const double rms = data_->root_mean_square();
    const double factor = tau_.x.learned ? 10 : std::max(1.0, rms / sigma_x());
    floor_ = u < 0.75 ? rms * std::pow(factor, -u / 0.75) : 0;
    invert();
  }

 private:
  /// Where the row stands: x ~ N(., variance (1 + t)) at squared distance r.
  struct Position {
    double t, r;
  };
  /// C = V diag(values) V' and squares_k = |(V'P)_k|^2: the likelihood in O(K) for any precisions.
  struct Spectrum {
    Eigen::VectorXd values, squares;
  };

  static constexpr int most_own = 10000;
  static constexpr const char* too_many_own =
      "a row needs more than 10000 features of its own: `sigma_a` is far too small for these data";
  static double infinity() { return std::numeric_limits<double>::infinity(); }

  double step(int k) const { return z_(k) > 0 ? -1.0 : 1.0; }

  double log_density(Position at) const {
    const double spread = 1 + at.t;
    return -0.5 * (data_->columns * std::log(spread) + at.r / (variance_ * spread));
  }

  Position flipped(int k) const {
    const double by = step(k), v = v_(k);
    const double m_kk = m_(k, k) + v * v * left_;
    const double g_kk = g_all_(k, k) - 2 * v * me_(k) + ee_ * v * v;
    return {std::max(0.0, at_.t + 2 * by * u_(k) + m_kk),
            std::max(0.0, at_.r + 2 * by * (g_(k) - c_(k)) + g_kk)};
  }

  /// M_without = M + left v v', G_without = G - v me' - me v' + ee v v', never formed here.
  void remove_row(const Features& z) {
    const auto x = data_->x.col(row_);
    const Eigen::VectorXd y = statistics_.p.transpose() * x;
    const Eigen::VectorXd mz = m_ * z_;
    left_ = 1 - z_.dot(mz);
    if (left_ < 1e-7) return remove_row_afresh(z, y);
    const double xx = data_->squares(row_);
    const Eigen::VectorXd mx = m_ * y, gz = g_all_ * z_;
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

  /// The same where row i alone determines something and the update would lose all digits.
  void remove_row_afresh(const Features& z, const Eigen::VectorXd& y) {
    const auto x = data_->x.col(row_);
    GaussianStatistics rest = statistics_;
    rest.set_products(z);
    rest.c.noalias() -= z_ * z_.transpose();
    rest.p.noalias() -= x * z_.transpose();
    rest.q.noalias() = rest.p.transpose() * rest.p;
    invert(rest);
    v_.setZero(z_.size());
    me_.setZero(z_.size());
    ee_ = left_ = 0;
    u_ = m_ * z_;
    g_ = g_all_ * z_;
    c_ = m_ * (y - z_ * data_->squares(row_));
    settle();
    changed_ = true;
  }

  /// t and r from u, g and c.
  void settle() {
    at_.t = std::max(0.0, z_.dot(u_));
    at_.r = std::max(0.0, data_->squares(row_) - 2 * z_.dot(c_) + z_.dot(g_));
  }

  void resize_own(Features& z, int own) {
    while (own_count() > own) {
      const int k = own_.back();  // own_ increases, so what takes the place of k is not in it
      own_.pop_back();
      z.drop(k);
      for (auto* vector : {&z_, &u_, &g_, &c_}) drop_entry(*vector, k);
      drop_column(statistics_.p, k);
      drop_both(m_, k);
      drop_both(g_all_, k);
    }
    while (own_count() < own) {
      const int k = z.size();
      own_.push_back(k);
      z.add_own(row_);
      append(z_, 1);
      append(u_, 1 / rho_);
      append(g_, 0);
      append(c_, 0);
      statistics_.p.conservativeResize(Eigen::NoChange, k + 1);
      statistics_.p.col(k) = data_->x.col(row_);
      append_both(m_, 1 / rho_);
      append_both(g_all_, 0);
    }
    u_.noalias() = m_ * z_;
    settle();
  }

  void add_row() {
    const Eigen::VectorXd w = u_ / (1 + at_.t), q = c_ - g_;
    m_ -= w * u_.transpose();
    g_all_ += w * q.transpose() + q * w.transpose() + at_.r * w * w.transpose();
  }

  static void append(Eigen::VectorXd& v, double value) {
    v.conservativeResize(v.size() + 1);
    v(v.size() - 1) = value;
  }
  static void append_both(Eigen::MatrixXd& m, double diagonal) {
    const auto last = m.rows();
    m.conservativeResize(last + 1, last + 1);
    m.row(last).setZero();
    m.col(last).setZero();
    m(last, last) = diagonal;
  }

  int draw_from_log_weights(double largest, Rng& rng) {
    double total = 0;
    for (double& w : log_weights_) total += w = std::exp(w - largest);
    double rest = rng.uniform() * total;
    for (std::size_t j = 0; j + 1 < log_weights_.size(); ++j)
      if ((rest -= log_weights_[j]) < 0) return static_cast<int>(j);
    return static_cast<int>(log_weights_.size()) - 1;
  }

  void set_scales() {
    variance_ = std::max(1 / tau_.x.value, floor_ * floor_);
    rho_ = variance_ * tau_.a.value;
  }

  void invert() { invert(statistics_); }
  void invert(const GaussianStatistics& s) {
    set_scales();
    const auto size = s.c.rows();
    if (size == 0) {
      m_.resize(0, 0);
      g_all_.resize(0, 0);
      return;
    }
    Eigen::MatrixXd a = s.c;
    a.diagonal().array() += rho_;
    m_ = a.llt().solve(Eigen::MatrixXd::Identity(size, size));
    g_all_.noalias() = m_ * s.q * m_;
  }

  /// The terms of the log likelihood that do not depend on Z.
  double constant() const {
    const double cells = double(data_->rows()) * data_->columns;
    return -0.5 * cells * std::log(2 * M_PI * variance_) - 0.5 * data_->total / variance_;
  }

  Spectrum decompose() const {
    if (statistics_.c.rows() == 0) return {};
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(statistics_.c);
    const auto& v = eigen.eigenvectors();
    return {eigen.eigenvalues().cwiseMax(0.0),
            (v.transpose() * statistics_.q * v).diagonal().cwiseMax(0.0)};
  }

  double log_lik(const Spectrum& s) const {
    const auto shifted = s.values.array() + rho_;
    return constant() + 0.5 * data_->columns * (std::log(rho_) - shifted.log()).sum() +
           0.5 * (s.squares.array() / shifted).sum() / variance_;
  }

  void draw_precision(Hyper& tau, double width, const Spectrum& spectrum, Rng& rng) {
    if (!tau.learned) return;
    auto log_density = [&](double log_tau) {
      tau.value = std::exp(log_tau);
      set_scales();
      if (!(rho_ > 1e-12 && rho_ < 1e12)) return -infinity();
      return tau.log_prior_of_log(tau.value) + log_lik(spectrum);
    };
    tau.value = std::exp(slice_sample(std::log(tau.value), log_density, width, rng));
    set_scales();
  }

  const GaussianData* data_;
  Precisions tau_;
  double floor_ = 0, variance_ = 1, rho_ = 1;

  GaussianStatistics statistics_;
  Eigen::MatrixXd m_, g_all_;

  int row_ = 0;
  bool changed_ = false;
  std::vector<int> own_;
  Eigen::VectorXd z_, u_, g_, c_, v_, me_;
  double left_ = 1, ee_ = 0;
  Position at_{0, 0};
  std::vector<double> log_weights_;
};

}  // namespace buffet
