#pragma once

#include <Eigen/Dense>
#include <utility>

namespace buffet {

/// A regression on some of K variables, from which any variable is taken and to which any is added
/// in O(K^2), by the sweep operator (Beaton 1964). The tableau is that of y ~ N(., I) with weights
/// N(0, I): the matrix I + M, M the products of the variables, bordered by their products with y.
class SweptRegression {
 public:
  /// `products` K x K and `with_y`; no variable is in.
  void set(const Eigen::MatrixXd& products, const Eigen::VectorXd& with_y) {
    const auto size = products.rows();
    t_.resize(size, size + 1);
    t_.leftCols(size) = products;
    t_.diagonal().array() += 1;
    t_.col(size) = with_y;
  }

  /// Takes variable k in, or out if it is `in`.
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

  /// Log likelihood with variable k in minus that without it, their weights integrated out.
  double log_ratio(int k, bool in) const {
    const double pivot = in ? -1 / t_(k, k) : t_(k, k);
    const double with_y = t_(k, t_.rows()) * (in ? pivot : 1);
    return 0.5 * (with_y * with_y / pivot - std::log(pivot));
  }

  /// Mean of the weight of a variable that is in, and the covariance of two of them.
  double mean(int k) const { return t_(k, t_.rows()); }
  double covariance(int k, int l) const { return -t_(k, l); }

 private:
  Eigen::MatrixXd t_;
  Eigen::RowVectorXd row_;
  Eigen::VectorXd column_;
};

}  // namespace buffet
