#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/likelihood.h"
#include "gaussian/gaussian_data.h"

namespace buffet {

/// A row x ~ N(z A, variance) given the loadings A, in O(1) per bit and O(K) per flip: the entries
/// of x enter only through its scores A x, their products with the loadings.
class RowByScores {
 public:
  /// a: D x K.
  RowByScores(const Eigen::MatrixXd& a, double variance)
      : a_(a), products_(a.transpose() * a), coupled_(a.cols() * a.cols()), variance_(variance) {
    for (int k = 0; k < a.cols(); ++k)
      for (int l = 0; l < a.cols(); ++l) {
        const double lengths = products_(k, k) + products_(l, l);
        const double least = lengths - 2 * std::abs(products_(k, l));
        coupled_[k * a.cols() + l] = least < Flips::within_reach * variance_;
      }
  }

  /// Starts row i of the data, with the features in `on`.
  void enter(const GaussianData& x, int i, const Eigen::Ref<const Eigen::VectorXd>& scores,
             const std::vector<int>& on) {
    scores_ = scores;
    of_row_variance_ = variance_;
    is_on_.setZero(products_.cols());
    of_row_ = &products_;
    if (x.hidden_count(i) > 0) leave_out_hidden(x, i);
    fitted_.setZero(products_.cols());
    for (int k : on) {
      is_on_(k) = 1;
      fitted_ += of_row_->col(k);
    }
  }

  /// Multiplies the noise variance of the row by this factor.
  void spread(double by) { of_row_variance_ = by * variance_; }

  /// Subtracts values from the entries of the row.
  void take_off(const Eigen::VectorXd& values) { scores_.noalias() -= a_.transpose() * values; }

  /// Log likelihood with bit k on minus the log likelihood with bit k off.
  double log_ratio(int k) const {
    return (scores_(k) - fitted_(k) + (is_on_(k) - 0.5) * (*of_row_)(k, k)) / of_row_variance_;
  }

  /// True if flipping both bits may leave the fit of a row nearly unchanged while flipping one does
  /// not.
  bool coupled(int k, int l) const { return coupled_[k * a_.cols() + l]; }

  /// Log densities of the row with each subset of the given bits flipped, up to a constant.
  void log_densities(const int* bits, int size, double* out) const {
    QuadraticOfFlips fit;
    for (int a = 0; a < size; ++a) {
      const int k = bits[a];
      const double by = step(k) / of_row_variance_;
      fit.one[a] = by * (scores_(k) - fitted_(k)) - 0.5 * (*of_row_)(k, k) / of_row_variance_;
      for (int b = 0; b < a; ++b) fit.two[a][b] = -by * step(bits[b]) * (*of_row_)(k, bits[b]);
    }
    fit.values(size, out);
  }

  void flip(int k) {
    fitted_ += step(k) * of_row_->col(k);
    is_on_(k) = 1 - is_on_(k);
  }

  bool is_on(int k) const { return is_on_(k) > 0; }
  /// The numbers of the features that are on.
  std::vector<int> on() const {
    std::vector<int> numbers;
    for (int k = 0; k < is_on_.size(); ++k)
      if (is_on(k)) numbers.push_back(k);
    return numbers;
  }
  /// |z A|^2 - 2 x z A over the observed entries.
  double misfit() const { return is_on_.dot(fitted_ - 2 * scores_); }

 private:
  double step(int k) const { return is_on_(k) > 0 ? -1 : 1; }

  void leave_out_hidden(const GaussianData& x, int i) {
    hidden_.resize(x.hidden_count(i), a_.cols());
    int h = 0;
    x.for_hidden(i, [&](int d) { hidden_.row(h++) = a_.row(d); });
    observed_ = products_;
    observed_.noalias() -= hidden_.transpose() * hidden_;
    of_row_ = &observed_;
  }

  const Eigen::MatrixXd& a_;
  Eigen::MatrixXd products_;  ///< inner products of the loadings of each pair of features
  std::vector<char> coupled_;
  double variance_, of_row_variance_ = 1;
  Eigen::VectorXd scores_, fitted_, is_on_;
  Eigen::MatrixXd hidden_, observed_;
  const Eigen::MatrixXd* of_row_ = nullptr;  ///< inner products over the observed entries of the
                                             ///< row
};

}  // namespace buffet
