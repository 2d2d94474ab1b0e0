#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "integrated_rows.h"
#include "rotation.h"
#include "weighted_features.h"

namespace buffet {

/// A regression on some of K variables, in which any variable can be added or removed in O(K^2) by
/// the sweep operator (Beaton 1964). The tableau belongs to y ~ N(., I) with weights N(0, I): the
/// matrix I + M, where M has the products of the variables, bordered by their products with y.
class SweptRegression {
 public:
  /// `products` is K x K; starts with no variables.
  void set(const Eigen::MatrixXd& products, const Eigen::VectorXd& with_y) {
    const auto size = products.rows();
    t_.resize(size, size + 1);
    t_.leftCols(size) = products;
    t_.diagonal().array() += 1;
    t_.col(size) = with_y;
  }

  /// Adds variable k, or removes it if `in` is true.
  void flip(int k, bool in) {
    const double pivot = t_(k, k), sign = in ? -1 : 1;
    row_ = t_.row(k);
    column_ = t_.col(k);
    column_(k) = 0;
    t_.noalias() -= column_ * (row_ / pivot);
    t_.row(k) = row_ * (sign / pivot);
    t_.col(k).head(column_.size()) = column_ * (sign / pivot);
    t_(k, k) = -1 / pivot;
  }

  /// Log likelihood with variable k minus that without it, their weights integrated out.
  double log_ratio(int k, bool in) const {
    const double pivot = in ? -1 / t_(k, k) : t_(k, k);
    const double with_y = t_(k, t_.rows()) * (in ? pivot : 1);
    return 0.5 * (with_y * with_y / pivot - std::log(pivot));
  }

  /// Mean of the weight of an included variable, and the covariance of two of them.
  double mean(int k) const { return t_(k, t_.rows()); }
  double covariance(int k, int l) const { return -t_(k, l); }

 private:
  Eigen::MatrixXd t_;
  Eigen::RowVectorXd row_;
  Eigen::VectorXd column_;
};

/// Normal weights: draws the entries of a row with all its weights integrated out, x ~ N(0, noise +
/// A_z' A_z), in O(1) per entry and O(K^2) per flip, then the weights jointly.
class WeightsJointly : public WeightedFeatures<NormalWeight> {
 public:
  using Searcher = WeightsJointly;
  using WeightedFeatures::WeightedFeatures;

  void enter(const Features& z, int i) {
    enter_row(z, i);
    set_regression();
  }
  double log_ratio(int k) const { return regression_.log_ratio(k, on_[k]); }
  void flip(int k) {
    regression_.flip(k, on_[k]);
    on_[k] = !on_[k];
  }

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    draw_weights(rng);
    return draw_own_given_weights(log_prior_ratio, rng);
  }
  void leave(Features& z, int) { leave_row(z); }

  /// Updates some rows with all loadings integrated out, if the noise does not differ between
  /// columns. First, missing entries are drawn. Entries with a lower precision than others in their
  /// row are treated as noisy versions of entries with the higher precision, which are drawn and
  /// take their place.
  template <class Prior>
  Tally revisit(Features& z, Prior& prior, Rng& rng) {
    Tally tally;
    if (noise_.by_column()) return WeightedFeatures::revisit(z, prior, rng);
    if (data_->complete() && noise_.precisions().weights.rows.empty()) {
      if (!reduced_) reduced_ = std::make_shared<GaussianData>(data_->dense());
      tally = draw_rows(z, prior, *reduced_, rng);
      draw_loadings(rng);
    } else {
      const EntryWeights weights = noise_.take_weights();
      const Eigen::MatrixXd x = completed(weights, rng);
      tally = draw_rows(z, prior, GaussianData(x), rng);
      draw_loadings(GaussianData(x, false), HiddenRows(x.rows()), rng);
      noise_.set_weights(weights);
    }
    return tally;
  }

  void begin_rotations() {
    with_rows_ =
        data_->times_rows(noise_.precisions().columns.matrix().asDiagonal() * a_, 0, data_->rows());
    for (int i : noise_.precisions().weights.rows) with_rows_.col(i) = times_weighted(i);
  }
  /// The regression of a row that has k or l.
  RowOfPair pair_in(const Features& z, int i, int k, int l) {
    in_.clear();
    for (int m = 0; m < z.size(); ++m)
      if (m != k && m != l && z.at(i, m)) in_.push_back(m);
    const auto others = static_cast<Eigen::Index>(in_.size());
    in_.insert(in_.end(), {k, l});
    set_tableau(i);
    for (Eigen::Index n = 0; n < others; ++n) eliminate(n);
    const Eigen::Matrix2d left = tableau_.block<2, 2>(others, others);
    const Eigen::Matrix2d precision = left.selfadjointView<Eigen::Upper>();
    const auto has = !z.at(i, l)   ? RowOfPair::first
                     : !z.at(i, k) ? RowOfPair::second
                                   : RowOfPair::both;
    return {i, has, precision, tableau_.block<2, 1>(others, others + 2)};
  }
  /// Log density of the two features' loadings after the rotation minus their log density before
  /// it, with their local precisions integrated out.
  double log_ratio_rotated(int k, int l, double angle) const {
    if (!scales_.by_feature()) return 0;
    const auto log_density = [&](const Eigen::VectorXd& loadings) {
      return scales_.log_density(scales_.squares(loadings), double(a_.rows()));
    };
    const auto [first, second] = rotated(k, l, angle);
    return log_density(first) + log_density(second) - log_density(a_.col(k)) -
           log_density(a_.col(l));
  }
  /// If the weights are rotated by the same angle, the fit does not change.
  void rotate(int k, int l, double angle, Rng& rng) {
    const auto [first, second] = rotated(k, l, angle);
    set_loading(k, first);
    set_loading(l, second);
    for (int of : {k, l}) scales_.draw_local(of, a_.col(of), rng);
    turn(with_rows_.row(k), with_rows_.row(l), angle);
  }
  void redraw_weights(const Features& z, int i, Rng& rng) {
    row_ = i;
    list_held(z, i, on_, own_);
    set_row_products(i);
    with_x_ = noise_.precisions().rows(i) * with_rows_.col(i);
    set_regression();
    draw_weights(rng);
  }

 protected:
  /// Replaces the data; the same entries must be missing.
  void set_data(std::shared_ptr<const GaussianData> data) {
    data_ = std::move(data);
    reduced_.reset();
  }

 private:
  /// The data, one observation per column, with missing entries drawn. An entry x of a row with
  /// weights has precision w t, where t is the row's current precision. It is replaced by a draw of
  /// y given x, where y ~ N(eta, 1 / t) and x ~ N(y, (1 / w - 1) / t).
  Eigen::MatrixXd completed(const EntryWeights& weights, Rng& rng) const {
    Eigen::MatrixXd x = data_->dense();
    for (int i = 0; i < data_->rows(); ++i) {
      const double precision = noise_.precisions().rows(i);
      const int n = weights.find(i);
      if (n < 0) {
        data_->for_hidden(i, [&](int d) {
          x(d, i) = a_.row(d).dot(v_.row(i)) + rng.normal() / std::sqrt(precision);
        });
        continue;
      }
      for (Eigen::Index d = 0; d < x.rows(); ++d) {
        const double w = weights.factors(d, n) / precision, eta = a_.row(d).dot(v_.row(i));
        x(d, i) = eta + w * (x(d, i) - eta) + rng.normal() * std::sqrt((1 - w) / precision);
      }
    }
    return x;
  }

  /// Redraws rows of Z o V and their noise given the inner products of all rows, which are taken
  /// from `data`.
  template <class Prior>
  Tally draw_rows(Features& z, Prior& prior, const GaussianData& data, Rng& rng) {
    Tally tally;
    IntegratedRows rows(data, v_, scales_, noise_);
    thread_local std::vector<int> order;
    rng.permutation(data.rows(), order);
    const int visits = std::min(4 * data.rows(), 100);
    for (int n = 0; n < visits; ++n) {
      if (noise_.is_too_precise(order[n % data.rows()])) continue;
      rows.enter(order[n % data.rows()]);
      tally += rows.draw_entries(z, prior, rng);
      if (noise_.learned_of_row(order[n % data.rows()])) {
        rows.draw_noise(rng);
        exchange_with_noise(z, prior, rows, rng);
      }
      rows.leave();
    }
    return tally;
  }

  /// Updates the singletons of a row, whose loadings are to be redrawn.
  template <class Prior>
  void exchange_with_noise(Features& z, Prior& prior, IntegratedRows& rows, Rng& rng) {
    row_ = rows.row();
    list_held(z, row_, on_, own_);
    const int others = z.size() - static_cast<int>(own_.size());
    std::vector<OwnWeight> own;
    for (int k : own_) own.push_back({v_(row_, k), scales_.local()(k)});
    const auto ratio = [&](int j) { return prior.log_own_ratio(row_, others, j); };
    if (!NoiseOrFeature<NormalWeight>(noise_, row_, scales_).move(own, ratio, rng)) return;
    replace_own(z, own, Eigen::MatrixXd::Zero(a_.rows(), own.size()), [&](int k) { rows.drop(k); });
    for (std::size_t n = 0; n < own.size(); ++n) rows.append();
    prior.left(z, row_, rng);
  }

  std::array<Eigen::VectorXd, 2> rotated(int k, int l, double angle) const {
    std::array<Eigen::VectorXd, 2> pair{a_.col(k), a_.col(l)};
    turn(Eigen::Ref<Eigen::VectorXd>(pair[0]), Eigen::Ref<Eigen::VectorXd>(pair[1]), angle);
    return pair;
  }

  template <class Vector>
  static void turn(Vector first, Vector second, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    const auto before = first.eval();
    first = c * before - s * second;
    second = c * second + s * before;
  }

  /// Sets the regression on the features that the row has.
  void set_regression() {
    regression_.set(row_products_, with_x_);
    for (std::size_t k = 0; k < on_.size(); ++k)
      if (on_[k]) regression_.flip(static_cast<int>(k), false);
  }

  /// The upper half of the precision of the weights of the features in in_, bordered by their
  /// products with row i.
  void set_tableau(int i) {
    const bool complete = data_->hidden_count(i) == 0 && !noise_.precisions().has_weights(i);
    if (!complete) set_row_products(i);
    const Eigen::MatrixXd& products = complete ? products_ : row_products_;
    const double row = noise_.precisions().rows(i), by = complete ? row : 1;
    const auto size = static_cast<Eigen::Index>(in_.size());
    if (tableau_.rows() < size) tableau_.resize(size, size + 1);
    for (Eigen::Index m = 0; m < size; ++m) {
      for (Eigen::Index n = m; n < size; ++n) tableau_(m, n) = by * products(in_[n], in_[m]);
      ++tableau_(m, m);
      tableau_(m, size) = row * with_rows_(in_[m], i);
    }
  }
  /// Integrates out the weight of the first remaining feature.
  void eliminate(Eigen::Index n) {
    const auto size = static_cast<Eigen::Index>(in_.size());
    for (Eigen::Index m = n + 1; m < size; ++m) {
      const double by = tableau_(n, m) / tableau_(n, n);
      for (Eigen::Index c = m; c <= size; ++c) tableau_(m, c) -= by * tableau_(n, c);
    }
  }

  void draw_weights(Rng& rng) {
    std::vector<int> in;
    for (std::size_t k = 0; k < on_.size(); ++k)
      if (on_[k]) in.push_back(static_cast<int>(k));
    const auto size = static_cast<Eigen::Index>(in.size());
    Eigen::MatrixXd covariance(size, size);
    for (Eigen::Index a = 0; a < size; ++a)
      for (Eigen::Index b = 0; b < size; ++b)
        covariance(a, b) = regression_.covariance(in[a], in[b]);
    const Eigen::VectorXd change = covariance.llt().matrixL() * normal_vector(size, 1, rng);
    v_.row(row_).setZero();
    for (Eigen::Index a = 0; a < size; ++a) v_(row_, in[a]) = regression_.mean(in[a]) + change(a);
  }

  SweptRegression regression_;
  std::shared_ptr<const GaussianData> reduced_;  ///< with the same products of rows as the data
  Eigen::MatrixXd with_rows_;  ///< products of the loadings with all rows, for rotations
  std::vector<int> in_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> tableau_;
};

MoveList<RedrawEntries, RotatePairs> moves_of(const WeightsJointly&);

}  // namespace buffet
