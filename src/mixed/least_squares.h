#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/fitted.h"
#include "core/rng.h"
#include "families.h"
#include "likelihood/regressions.h"
#include "mixed_data.h"

namespace buffet {

/// Weights of columns of one linear predictor, proposed by weighted least squares at the present
/// ones (Gamerman 1997) and accepted column by column. Where auxiliary variables know far more of a
/// linear predictor than the data do, as those of counts of a large size, steps given these are
/// small; these are not.
class LeastSquares {
 public:
  LeastSquares(const MixedData& data, const Families& families) : data_(data), families_(families) {
    for (int j = 0; j < data.columns(); ++j)
      if (families[j]->has_working_response()) columns_.push_back(j);
  }
  bool has_columns() const { return !columns_.empty(); }

  /// Moves these columns' rows of `all`, a bias if there is one and weights.
  void move(const Features& z, const RegressionPrior& prior, Eigen::MatrixXd& all, Rng& rng) const {
    const Eigen::MatrixXd here = rows_of(all);
    const Side from(*this, z, prior, here);
    const Eigen::MatrixXd there = from.factor.draw(rng);
    const Side to(*this, z, prior, there);
    const Eigen::ArrayXd log_accept = to.log_joint - from.log_joint + to.factor.log_density(here) -
                                      from.factor.log_density(there);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (std::log(rng.uniform()) < log_accept(c)) all.row(data_.first(columns_[c])) = there.row(c);
  }

  /// Takes them to where entries alone put their linear predictors.
  void guess(const Features& z, const RegressionPrior& prior, Eigen::MatrixXd& all) const {
    Eigen::MatrixXd eta = Eigen::MatrixXd::Zero(columns_.size(), z.rows());
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (int i : data_.seen(columns_[c]))
        eta(c, i) = families_[columns_[c]]->guess(data_.at(i, columns_[c]));
    const Eigen::MatrixXd there = factor(z, prior, eta).mean();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      all.row(data_.first(columns_[c])) = there.row(c);
  }
  /// A step of Newton's towards their mode, where it climbs.
  void climb(const Features& z, const RegressionPrior& prior, Eigen::MatrixXd& all) const {
    const Side from(*this, z, prior, rows_of(all));
    const Eigen::MatrixXd there = from.factor.mean();
    const Side to(*this, z, prior, there);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (to.log_joint(c) > from.log_joint(c)) all.row(data_.first(columns_[c])) = there.row(c);
  }

 private:
  Eigen::MatrixXd rows_of(const Eigen::MatrixXd& all) const {
    Eigen::MatrixXd rows(columns_.size(), all.cols());
    for (std::size_t c = 0; c < columns_.size(); ++c)
      rows.row(c) = all.row(data_.first(columns_[c]));
    return rows;
  }
  /// What a side of a step knows: its log joint densities, and the normal law of the other side.
  struct Side {
    Side(const LeastSquares& of, const Features& z, const RegressionPrior& prior,
         const Eigen::MatrixXd& all)
        : eta(predictors(z, prior, all)),
          log_joint(log_prior(prior, all) + of.log_lik(eta)),
          factor(of.factor(z, prior, eta)) {}
    Eigen::MatrixXd eta;
    Eigen::ArrayXd log_joint;
    RegressionFactor factor;
  };

  static Eigen::ArrayXd log_prior(const RegressionPrior& prior, const Eigen::MatrixXd& all) {
    Eigen::ArrayXd sum = -0.5 * prior.weight * all.rowwise().squaredNorm();
    if (prior.has_bias) sum -= 0.5 * (prior.bias - prior.weight) * all.col(0).array().square();
    return sum;
  }
  static Eigen::MatrixXd predictors(const Features& z, const RegressionPrior& prior,
                                    const Eigen::MatrixXd& all) {
    const int first = prior.has_bias ? 1 : 0;
    Eigen::MatrixXd eta = Eigen::MatrixXd::Zero(all.rows(), z.rows());
    if (first > 0) eta.colwise() += all.col(0);
    add_fitted(z, all.rightCols(all.cols() - first), eta);
    return eta;
  }
  Eigen::ArrayXd log_lik(const Eigen::MatrixXd& eta) const {
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(eta.rows());
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (int i : data_.seen(columns_[c]))
        sum(c) += families_[columns_[c]]->log_kernel(data_.at(i, columns_[c]), &eta(c, i));
    return sum;
  }
  RegressionFactor factor(const Features& z, const RegressionPrior& prior,
                          const Eigen::MatrixXd& eta) const {
    RegressionData working{Eigen::MatrixXd::Zero(eta.rows(), eta.cols()),
                           Eigen::MatrixXd::Zero(eta.rows(), eta.cols())};
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (int i : data_.seen(columns_[c]))
        families_[columns_[c]]->work(data_.at(i, columns_[c]), eta(c, i),
                                     {&working.omega(c, i), &working.kappa(c, i)});
    return {RegressionStatistics(z, working, prior.has_bias), prior};
  }

  const MixedData& data_;
  const Families& families_;
  std::vector<int> columns_;
};

}  // namespace buffet
