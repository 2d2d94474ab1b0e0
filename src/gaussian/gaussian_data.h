#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/features.h"

namespace buffet {

/// Data of a linear-Gaussian model, one observation per column, dense or sparse. NaN marks a
/// missing entry, which is stored as 0. With loadings integrated out the model is rotation
/// invariant, so complete data with more columns than rows can be replaced by a triangular matrix
/// with the same Gram matrix: the likelihood is the same, and `columns` remains the original D.
class GaussianData {
 public:
  using Matrix = Eigen::Ref<const Eigen::MatrixXd>;
  using Sparse = Eigen::SparseMatrix<double>;

  /// From one observation per column (D x N).
  explicit GaussianData(const Matrix& observations, bool rotate = true)
      : columns_(static_cast<int>(observations.rows())) {
    if (rotate && observations.rows() > observations.cols() && !observations.hasNaN())
      dense_ = triangle(observations.transpose() * observations);
    else
      dense_ = observations;
    finish();
  }

  /// From one observation per row (N x D), without a copy if rotation makes the data smaller.
  static GaussianData from_rows(const Matrix& observations, bool rotate = true) {
    const auto rows = observations.rows(), columns = observations.cols();
    GaussianData data;
    data.columns_ = static_cast<int>(columns);
    if (!rotate || columns <= rows || observations.hasNaN())
      data.dense_ = observations.transpose();
    else
      data.dense_ = triangle(observations * observations.transpose());
    data.finish();
    return data;
  }

  /// From one observation per column; stays sparse.
  explicit GaussianData(Sparse observations, bool rotate = true)
      : sparse_(std::move(observations)),
        is_sparse_(true),
        columns_(static_cast<int>(sparse_.rows())) {
    sparse_.makeCompressed();
    const Eigen::Map<const Eigen::VectorXd> values(sparse_.valuePtr(), sparse_.nonZeros());
    if (rotate && sparse_.rows() > sparse_.cols() && !values.hasNaN()) {
      dense_ = triangle(sparse_.transpose() * sparse_);
      sparse_ = Sparse();
      is_sparse_ = false;
    }
    finish();
  }

  int rows() const { return static_cast<int>(squares_.size()); }
  int columns() const { return columns_; }  ///< D
  /// Stored length of the observations, at most D.
  int width() const { return static_cast<int>(is_sparse_ ? sparse_.rows() : dense_.rows()); }

  bool is_sparse() const { return is_sparse_; }
  const Eigen::MatrixXd& dense() const { return dense_; }
  const Sparse& sparse() const { return sparse_; }
  /// Calls f(column, value) for every stored entry of row i, with NaN for missing entries.
  template <class F>
  void for_entries(int i, F f) const {
    if (is_sparse_) {
      for (Sparse::InnerIterator x(sparse_, i); x; ++x) f(static_cast<int>(x.index()), x.value());
    } else {
      for (int d = 0; d < width(); ++d) f(d, dense_(d, i));
    }
    for_hidden(i, [&](int d) { f(d, std::numeric_limits<double>::quiet_NaN()); });
  }

  bool complete() const { return hidden_.empty(); }
  /// Index of the first missing entry of row i among all missing entries, row by row.
  int hidden_from(int i) const { return hidden_from_[i]; }
  int hidden_count(int i) const { return hidden_from_[i + 1] - hidden_from_[i]; }
  int hidden_count() const { return static_cast<int>(hidden_.size()); }
  /// Calls f(column) for every missing entry of row i.
  template <class F>
  void for_hidden(int i, F f) const {
    for (int h = hidden_from_[i]; h < hidden_from_[i + 1]; ++h) f(hidden_[h]);
  }
  int observed(int i) const { return columns_ - hidden_count(i); }
  double observed() const { return double(rows()) * columns_ - hidden_count(); }

  double square(int i) const { return squares_(i); }  ///< |x_i|^2
  double total() const { return squares_.sum(); }
  double total(int from, int count) const { return squares_.segment(from, count).sum(); }
  double root_mean_square() const { return std::sqrt(total() / std::max(observed(), 1.0)); }

  /// p' x_i.
  Eigen::VectorXd times(const Eigen::MatrixXd& p, int i) const {
    if (!is_sparse_) return p.transpose() * dense_.col(i);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(p.cols());
    for (Sparse::InnerIterator x(sparse_, i); x; ++x)
      sum += x.value() * p.row(x.index()).transpose();
    return sum;
  }

  /// Adds `by` times x_i to `to`.
  void add(int i, double by, Eigen::Ref<Eigen::VectorXd> to) const {
    if (!is_sparse_) {
      to += by * dense_.col(i);
      return;
    }
    for (Sparse::InnerIterator x(sparse_, i); x; ++x) to(x.index()) += by * x.value();
  }

  /// P' X for some rows, columns of P x rows.
  Eigen::MatrixXd times_rows(const Eigen::MatrixXd& p, int from, int count) const {
    if (is_sparse_) return (sparse_.middleCols(from, count).transpose() * p).transpose();
    return p.transpose() * dense_.middleCols(from, count);
  }

  /// X v and X' v, where X has one observation per column.
  Eigen::MatrixXd product(const Eigen::MatrixXd& v) const {
    return is_sparse_ ? Eigen::MatrixXd(sparse_ * v) : Eigen::MatrixXd(dense_ * v);
  }
  Eigen::VectorXd scores(const Eigen::VectorXd& v) const {
    return is_sparse_ ? Eigen::VectorXd(sparse_.transpose() * v)
                      : Eigen::VectorXd(dense_.transpose() * v);
  }

 private:
  GaussianData() = default;

  void finish() {
    find_hidden();
    const auto size = is_sparse_ ? sparse_.cols() : dense_.cols();
    squares_.resize(size);
    for (int i = 0; i < size; ++i)
      squares_(i) = is_sparse_ ? sparse_.col(i).squaredNorm() : dense_.col(i).squaredNorm();
  }

  void find_hidden() {
    const auto size = static_cast<int>(is_sparse_ ? sparse_.cols() : dense_.cols());
    const auto hide = [&](int column, double& value) {
      if (!std::isnan(value)) return;
      hidden_.push_back(column);
      value = 0;
    };
    for (int i = 0; i < size; ++i) {
      hidden_from_.push_back(hidden_count());
      if (is_sparse_) {
        for (Sparse::InnerIterator x(sparse_, i); x; ++x)
          hide(static_cast<int>(x.index()), x.valueRef());
      } else {
        for (int d = 0; d < width(); ++d) hide(d, dense_(d, i));
      }
    }
    hidden_from_.push_back(hidden_count());
  }

  /// R with R'R = gram, from a pivoted Cholesky decomposition, because gram may be singular.
  static Eigen::MatrixXd triangle(const Eigen::MatrixXd& gram) {
    const Eigen::LDLT<Eigen::MatrixXd> ldlt(gram);
    const Eigen::VectorXd scale = ldlt.vectorD().cwiseMax(0.0).cwiseSqrt();
    return scale.asDiagonal() * Eigen::MatrixXd(ldlt.matrixU()) *
           (ldlt.transpositionsP() * Eigen::MatrixXd::Identity(gram.rows(), gram.rows()));
  }

  Eigen::MatrixXd dense_;
  Sparse sparse_;
  bool is_sparse_ = false;
  int columns_ = 0;
  std::vector<int> hidden_, hidden_from_;
  Eigen::VectorXd squares_;
};

/// The data with a chain's own values in place of missing entries.
class Completed {
 public:
  explicit Completed(const GaussianData& data)
      : data_(&data), values_(Eigen::VectorXd::Zero(data.hidden_count())) {}

  const GaussianData& data() const { return *data_; }

  Eigen::VectorXd times(const Eigen::MatrixXd& p, int i) const {
    Eigen::VectorXd sum = data_->times(p, i);
    for_hidden(i, [&](int d, double value) { sum += value * p.row(d).transpose(); });
    return sum;
  }

  void add(int i, double by, Eigen::Ref<Eigen::VectorXd> to) const {
    data_->add(i, by, to);
    for_hidden(i, [&](int d, double value) { to(d) += by * value; });
  }

  Eigen::VectorXd row(int i) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(data_->width());
    add(i, 1, x);
    return x;
  }

  /// Sum of some rows.
  Eigen::VectorXd sum(const Bits& rows) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(data_->width());
    rows.for_each([&](int i) { add(i, 1, sum); });
    return sum;
  }

  Eigen::MatrixXd product(const Eigen::MatrixXd& v) const {
    Eigen::MatrixXd product = data_->product(v);
    for_all_hidden([&](int i, int d, double value) { product.row(d) += value * v.row(i); });
    return product;
  }
  Eigen::VectorXd scores(const Eigen::VectorXd& v) const {
    Eigen::VectorXd scores = data_->scores(v);
    for_all_hidden([&](int i, int d, double value) { scores(i) += value * v(d); });
    return scores;
  }

  double square(int i) const { return data_->square(i) + hidden(i).squaredNorm(); }
  double total() const { return data_->total() + values_.squaredNorm(); }

  /// The values that replace the missing entries of row i.
  Eigen::VectorBlock<const Eigen::VectorXd> hidden(int i) const {
    return values_.segment(data_->hidden_from(i), data_->hidden_count(i));
  }
  Eigen::VectorBlock<Eigen::VectorXd> hidden(int i) {
    return values_.segment(data_->hidden_from(i), data_->hidden_count(i));
  }

  template <class F>
  void for_hidden(int i, F f) const {
    int h = data_->hidden_from(i);
    data_->for_hidden(i, [&](int d) { f(d, values_(h++)); });
  }
  template <class F>
  void for_all_hidden(F f) const {
    if (data_->complete()) return;
    for (int i = 0; i < data_->rows(); ++i)
      for_hidden(i, [&](int d, double value) { f(i, d, value); });
  }

  void archive(Archive& a) { a.of_same_size(values_, "missing entries"); }

 private:
  const GaussianData* data_;
  Eigen::VectorXd values_;
};

/// The magnitude of a log density of the observed entries, in units of their root mean square, so
/// the threshold for a small change does not depend on the units of the data.
template <class Data>
double size_in_units_of(const Data& data, double log_density) {
  const double rms = data.root_mean_square();
  return std::abs(log_density + (rms > 0 ? data.observed() * std::log(rms) : 0));
}

}  // namespace buffet
