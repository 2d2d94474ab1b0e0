#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/hyper.h"
#include "core/rng.h"
#include "gaussian/gaussian_data.h"
#include "loadings_given_weights.h"
#include "regression/column_precisions.h"

namespace buffet {

/// The units of the data that have their own noise precision.
enum class NoiseOf { all, row, column };

/// Precisions of the noise: all fixed, or all learned except in rows fixed by fix_row().
class FactorNoise {
 public:
  FactorNoise(int rows, int columns, NoiseOf of, const Hyper& prior)
      : of_(of),
        prior_(prior),
        precisions_{Eigen::ArrayXd::Ones(rows), Eigen::ArrayXd::Ones(columns)} {
    own() = prior.value;
    rates_.setConstant(own().size(), prior.rate);
  }
  /// Sets a separate rate for the prior of each precision; the shape is shared.
  void set_rates(const Eigen::ArrayXd& rates) { rates_ = rates; }

  /// Fixes the precision of a row at 1; rows must have their own precisions.
  void fix_row(int row) {
    fixed_.push_back(row);
    own()(row) = 1;
  }

  /// Sets the weights of the entries of fixed rows.
  void set_weights(EntryWeights weights) {
    for (int row : weights.rows) own()(row) = 1;
    precisions_.weights = std::move(weights);
  }
  /// Removes and returns the weights; all entries of their rows then have the largest precision in
  /// the row.
  EntryWeights take_weights() {
    EntryWeights weights = std::move(precisions_.weights);
    precisions_.weights = {};
    for (std::size_t n = 0; n < weights.rows.size(); ++n)
      own()(weights.rows[n]) = weights.factors.col(n).maxCoeff();
    return weights;
  }

  bool by_column() const { return of_ == NoiseOf::column; }
  /// True if the row has its own, learned precision.
  bool learned_of_row(int row) const {
    return of_ == NoiseOf::row && prior_.learned && !is_fixed(row);
  }
  /// True if the row is fixed and subtracting it from sums over rows would leave rounding error,
  /// which grows with the third power of the precision.
  bool is_too_precise(int row) const {
    constexpr double most = 3000;
    return of_ == NoiseOf::row && precisions_.rows(row) > most && is_fixed(row);
  }
  const EntryPrecisions& precisions() const { return precisions_; }
  /// The precisions of rows or columns that have their own, or the single common one.
  const Eigen::ArrayXd& own() const { return by_column() ? precisions_.columns : precisions_.rows; }
  void set(const Eigen::ArrayXd& values) {
    if (values.size() == 1)
      own() = values(0);
    else
      own() = values;
    for (int row : fixed_) own()(row) = 1;
  }
  bool learned() const { return prior_.learned; }
  /// The root mean square of the standard deviations.
  double sigma_x() const { return std::sqrt(own().inverse().mean()); }
  /// Scales the learned precisions by a common factor.
  void scale_to(double sigma_x) {
    const double by = this->sigma_x() / sigma_x;
    set(own() * by * by);
  }

  /// Draws the precisions given the residuals of rows, or of columns if these have their own.
  void update(const Squares& residuals, Rng& rng) {
    if (!prior_.learned) return;
    if (of_ == NoiseOf::all) {
      own() = rng.gamma(prior_.shape + 0.5 * residuals.count.sum(),
                        rates_(0) + 0.5 * residuals.sum.sum());
      return;
    }
    for (Eigen::Index n = 0; n < own().size(); ++n)
      if (!is_fixed(n))
        own()(n) =
            rng.gamma(prior_.shape + 0.5 * residuals.count(n), rates_(n) + 0.5 * residuals.sum(n));
  }

  double log_prior() const {
    const Eigen::Index size = of_ == NoiseOf::all ? 1 : own().size();
    double sum = 0;
    for (Eigen::Index n = 0; n < size; ++n)
      if (!is_fixed(n)) sum += log_prior_at(n, own()(n));
    return sum;
  }
  /// Log prior density, for rows with their own precisions.
  double log_prior_of_row(int row, double precision) const { return log_prior_at(row, precision); }
  void set_row(int row, double precision) { precisions_.rows(row) = precision; }

  void archive(Archive& a) {
    a.of_same_size(precisions_.rows, "precisions of rows");
    a.of_same_size(precisions_.columns, "precisions of columns");
  }

 private:
  bool is_fixed(Eigen::Index row) const {
    return std::find(fixed_.begin(), fixed_.end(), row) != fixed_.end();
  }
  double log_prior_at(Eigen::Index n, double precision) const {
    Hyper prior = prior_;
    prior.rate = rates_(n);
    return prior.log_prior_at(precision);
  }
  Eigen::ArrayXd& own() { return by_column() ? precisions_.columns : precisions_.rows; }

  NoiseOf of_;
  Hyper prior_;
  Eigen::ArrayXd rates_;
  EntryPrecisions precisions_;
  std::vector<int> fixed_;
};

/// Sums of squares of X - V A over observed entries, by row or by column; `a` is A', D x K.
inline Squares residual_squares(const GaussianData& data, const Eigen::MatrixXd& a,
                                const Eigen::MatrixXd& v, bool by_column) {
  const int size = by_column ? data.width() : data.rows();
  Squares squares{Eigen::ArrayXd::Zero(size), Eigen::ArrayXd::Zero(size)};
  if (by_column) squares.count = data.rows();
  for (int i = 0; i < data.rows(); ++i) {
    Eigen::VectorXd rest = -a * v.row(i).transpose();
    data.add(i, 1, rest);
    data.for_hidden(i, [&](int d) {
      rest(d) = 0;
      if (by_column) --squares.count(d);
    });
    if (by_column) {
      squares.sum += rest.array().square();
    } else {
      squares.count(i) = data.observed(i);
      squares.sum(i) = rest.squaredNorm();
    }
  }
  return squares;
}

}  // namespace buffet
