#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/fitted.h"
#include "core/rng.h"
#include "families.h"
#include "mixed_data.h"
#include "regression/regressions.h"

namespace buffet {

/// Weights of columns with one linear predictor, proposed by weighted least squares at the current
/// weights (Gamerman 1997) and accepted column by column. If auxiliary variables determine a linear
/// predictor far more precisely than the data do, as for counts with a large size, steps given
/// these variables are small, but least-squares steps are not.
class LeastSquares {
 public:
  LeastSquares(const MixedData& data, const Families& families, const Features& z,
               const RegressionPrior& prior)
      : data_(data), families_(families), z_(z), prior_(prior) {
    for (int j = 0; j < data.columns(); ++j)
      if (families[j]->has_working_response()) columns_.push_back(j);
  }
  bool has_columns() const { return !columns_.empty(); }

  /// Updates the rows of `all` for these columns: a bias, if there is one, and weights.
  void move(Eigen::MatrixXd& all, Rng& rng) const {
    const Side here(*this, rows_of(all));
    const Side there(*this, here.factor.draw(rng));
    const Eigen::ArrayXd log_accept = there.log_joint - here.log_joint +
                                      there.factor.log_density(here.weights) -
                                      here.factor.log_density(there.weights);
    put(there.weights, all, [&](int c) { return std::log(rng.uniform()) < log_accept(c); });
  }

  /// Moves the weights to the values suggested by single entries.
  void guess(Eigen::MatrixXd& all) const {
    Eigen::MatrixXd eta = Eigen::MatrixXd::Zero(columns_.size(), z_.rows());
    for_each([&](int c, int i, const Family& family, double x) { eta(c, i) = family.guess(x); });
    put(factor(eta).mean(), all, [](int) { return true; });
  }
  /// A Newton step towards the mode of the weights, if it increases the density.
  void climb(Eigen::MatrixXd& all) const {
    const Eigen::MatrixXd here = rows_of(all), eta = predictors(here);
    const Eigen::MatrixXd there = factor(eta).mean();
    const Eigen::ArrayXd gain = log_joint(there, predictors(there)) - log_joint(here, eta);
    put(there, all, [&](int c) { return gain(c) > 0; });
  }

 private:
  /// The two ends of a step: log joint densities, and the normal proposal of the other end.
  struct Side {
    Side(const LeastSquares& of, Eigen::MatrixXd at)
        : weights(std::move(at)),
          eta(of.predictors(weights)),
          log_joint(of.log_joint(weights, eta)),
          factor(of.factor(eta)) {}
    Eigen::MatrixXd weights, eta;
    Eigen::ArrayXd log_joint;
    RegressionFactor factor;
  };

  Eigen::MatrixXd rows_of(const Eigen::MatrixXd& all) const {
    Eigen::MatrixXd rows(columns_.size(), all.cols());
    for (std::size_t c = 0; c < columns_.size(); ++c)
      rows.row(c) = all.row(data_.first(columns_[c]));
    return rows;
  }
  /// Copies the requested rows of `rows` into `all`.
  template <class Wanted>
  void put(const Eigen::MatrixXd& rows, Eigen::MatrixXd& all, Wanted is_wanted) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (is_wanted(static_cast<int>(c))) all.row(data_.first(columns_[c])) = rows.row(c);
  }
  /// Calls f(index among these columns, row, family, entry) for every observed entry.
  template <class F>
  void for_each(F f) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (int i : data_.seen(columns_[c]))
        f(static_cast<int>(c), i, *families_[columns_[c]].operator->(), data_.at(i, columns_[c]));
  }

  Eigen::MatrixXd predictors(const Eigen::MatrixXd& weights) const {
    const int first = prior_.has_bias ? 1 : 0;
    Eigen::MatrixXd eta = Eigen::MatrixXd::Zero(weights.rows(), z_.rows());
    if (first > 0) eta.colwise() += weights.col(0);
    add_fitted(z_, weights.rightCols(weights.cols() - first), eta);
    return eta;
  }
  Eigen::ArrayXd log_joint(const Eigen::MatrixXd& weights, const Eigen::MatrixXd& eta) const {
    Eigen::ArrayXd sum = -0.5 * prior_.weight * weights.rowwise().squaredNorm();
    if (prior_.has_bias)
      sum -= 0.5 * (prior_.bias - prior_.weight) * weights.col(0).array().square();
    for_each([&](int c, int i, const Family& family, double x) {
      sum(c) += family.log_kernel(x, &eta(c, i));
    });
    return sum;
  }
  /// The distribution of the weights given the pseudo-responses at these linear predictors.
  RegressionFactor factor(const Eigen::MatrixXd& eta) const {
    RegressionData working{Eigen::MatrixXd::Zero(eta.rows(), eta.cols()),
                           Eigen::MatrixXd::Zero(eta.rows(), eta.cols())};
    for_each([&](int c, int i, const Family& family, double x) {
      family.work(x, eta(c, i), {&working.omega(c, i), &working.kappa(c, i)});
    });
    return {RegressionStatistics(z_, working, prior_.has_bias), prior_};
  }

  const MixedData& data_;
  const Families& families_;
  const Features& z_;
  RegressionPrior prior_;
  std::vector<int> columns_;
};

}  // namespace buffet
