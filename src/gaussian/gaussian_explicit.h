#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/features.h"
#include "core/likelihood.h"
#include "core/normal_vector.h"
#include "core/resize.h"
#include "core/rng.h"
#include "gaussian_data.h"
#include "gaussian_loadings.h"

namespace buffet {

/// X | Z, A ~ N(Z A, sigma_x^2) with the loadings A in the state, visited row by row in O(D) per
/// bit. Missing entries are ignored. Derived classes define the prior of the loadings.
class GaussianExplicit {
 public:
  explicit GaussianExplicit(const GaussianData& data) : data_(&data) {}

  const GaussianData& data() const { return *data_; }
  const Eigen::MatrixXd& loadings() const { return a_; }  ///< D x K
  void set_loadings(Eigen::MatrixXd a) {
    a_ = std::move(a);
    set_products();
  }

  void enter(const Features& z, int i) {
    row_ = i;
    list_held(z, i, on_, own_);
    residual_ = residual(z, i);
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double log_ratio(int k) const {
    return (a_.col(k).dot(residual_) + (on_[k] - 0.5) * observed_product(k, k)) / variance_;
  }

  /// True if flipping both bits may leave the fit of the row nearly unchanged while flipping one
  /// does not.
  bool coupled(int k, int l) const {
    const double lengths = products_(k, k) + products_(l, l);
    return lengths - 2 * std::abs(products_(k, l)) < Flips::within_reach * variance_;
  }

  /// Log densities of the row with each subset of the given bits flipped, up to a constant.
  void log_densities(const int* bits, int size, double* out) const {
    QuadraticOfFlips fit;
    for (int a = 0; a < size; ++a) {
      const int k = bits[a];
      const double by = step(k) / variance_;
      fit.one[a] = by * a_.col(k).dot(residual_) - 0.5 * observed_product(k, k) / variance_;
      for (int b = 0; b < a; ++b)
        fit.two[a][b] = -by * step(bits[b]) * observed_product(k, bits[b]);
    }
    fit.values(size, out);
  }

  void flip(int k) {
    residual_ -= step(k) * a_.col(k);
    hide(residual_);
    on_[k] = !on_[k];
  }

  /// Counterparts of Features::add and Features::drop. A feature that no row has needs no loadings.
  void append_unused() { append(Eigen::VectorXd::Zero(data_->width())); }
  void drop(int k) {
    drop_both_within(products_, a_.cols(), k);
    drop_column(a_, k);
  }

  /// Nothing to do, because no stored values accumulate rounding errors.
  void refresh(const Features&) {}

  /// Archives the loadings; derived classes add their own state.
  void archive(Archive& a) {
    a(a_);
    a.check(a_.rows() == data_->width(), "loadings");
    if (a.reads()) set_products();
  }
  bool fits(const Features& z) const { return a_.cols() == z.size(); }

  /// Ends the visit: the row's singletons are replaced by the new ones.
  void leave(Features& z, int own) {
    drop_own(z, own_, [this](int k) { drop(k); });
    for (int n = 0; n < own; ++n) {
      z.add_own(row_);
      append(drawn_.col(n));
    }
  }

 protected:
  void append(const Eigen::VectorXd& loading) {
    append_column(a_, loading);
    make_room(products_, a_.cols());
    set_products_of(static_cast<int>(a_.cols()) - 1);
  }
  void set_loading(int k, const Eigen::VectorXd& loading) {
    a_.col(k) = loading;
    set_products_of(k);
  }

  int row() const { return row_; }
  int observed() const { return data_->observed(row_); }

  /// Residual of the row without feature k.
  Eigen::VectorXd rest_without(int k) const {
    Eigen::VectorXd rest = residual_;
    if (on_[k]) rest += a_.col(k);
    hide(rest);
    return rest;
  }

  /// Residual of the row without its singletons.
  Eigen::VectorXd rest_without_own() const {
    Eigen::VectorXd rest = residual_;
    for (int k : own_) rest += a_.col(k);
    hide(rest);
    return rest;
  }

  /// Draws normal loadings, N(0, variance / rho_d) in column d, for this many singletons of the
  /// row, given its residual. Missing entries contribute nothing.
  template <class Rho>
  void draw_own_loadings(int own, const Eigen::VectorXd& rest, const Rho& rho, Rng& rng) {
    drawn_.resize(rest.size(), own);
    if (own == 0) return;
    const NormalLoadings law{variance_, rho};
    drawn_ = law.draw_own(
        own, rest, [this](auto f) { for_hidden(f); }, rng);
  }

  /// Loadings of the row's singletons.
  Eigen::MatrixXd own_loadings() const {
    Eigen::MatrixXd own(data_->width(), own_.size());
    for (std::size_t n = 0; n < own_.size(); ++n) own.col(n) = a_.col(own_[n]);
    return own;
  }

  /// x - z A of a row; missing entries have residual 0.
  Eigen::VectorXd residual(const Features& z, int i) const {
    Eigen::VectorXd rest = Eigen::VectorXd::Zero(data_->width());
    data_->add(i, 1, rest);
    if (units_.size() > 0) rest.array() /= units_;
    for (int k = 0; k < z.size(); ++k)
      if (z.at(i, k)) rest -= a_.col(k);
    data_->for_hidden(i, [&](int d) { rest(d) = 0; });
    return rest;
  }

  template <class F>
  void for_hidden(F f) const {
    data_->for_hidden(row_, f);
  }
  void hide(Eigen::VectorXd& v) const {
    for_hidden([&](int d) { v(d) = 0; });
  }

  /// Draws the missing entries of all rows.
  void complete(const Features& z, Completed& x, Rng& rng) const {
    if (data_->complete()) return;
    const double sd = std::sqrt(variance_);
    for (int i = 0; i < z.rows(); ++i) {
      auto values = x.hidden(i);
      int h = 0;
      data_->for_hidden(i, [&](int d) {
        double mean = 0;
        for (int k = 0; k < z.size(); ++k)
          if (z.at(i, k)) mean += a_(d, k);
        values(h++) = mean + sd * rng.normal();
      });
    }
  }

  double variance_ = 1;
  Eigen::ArrayXd units_;      ///< units of each column and its loadings; empty: 1
  Eigen::VectorXd residual_;  ///< x - z A of the row being visited
  Eigen::MatrixXd drawn_;     ///< loadings drawn for singletons

 private:
  double step(int k) const { return on_[k] ? -1 : 1; }

  void set_products() { products_.noalias() = a_.transpose() * a_; }
  void set_products_of(int k) {
    const Eigen::VectorXd products = a_.transpose() * a_.col(k);
    products_.col(k).head(products.size()) = products;
    products_.row(k).head(products.size()) = products.transpose();
  }
  /// The inner product of two features' loadings over the observed entries of the row.
  double observed_product(int k, int l) const {
    double product = products_(k, l);
    for_hidden([&](int d) { product -= a_(d, k) * a_(d, l); });
    return product;
  }

  const GaussianData* data_;
  Eigen::MatrixXd a_;
  Eigen::MatrixXd products_;  ///< A'A, with spare room
  int row_ = 0;
  std::vector<char> on_;
  std::vector<int> own_;
};

}  // namespace buffet
