#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "core/normal_vector.h"
#include "gaussian/gaussian_data.h"
#include "gibbs/new_row.h"
#include "known_factors.h"

namespace buffet {

/// The distribution of the entries of a row given its observed entries and one draw of sparse
/// loadings G, D x K: factors are N(0, I), and the noise of column j is N(0, sigma_j^2).
class GivenRow {
 public:
  GivenRow(const Eigen::MatrixXd& loadings, const Eigen::ArrayXd& sigma)
      : loadings_(loadings), variances_(sigma.square()) {}

  /// Sets the row; NaN marks missing entries.
  void set(const Eigen::VectorXd& x) {
    const Eigen::ArrayXd weight = x.array().isNaN().select(0, variances_.inverse());
    const Eigen::VectorXd seen = x.array().isNaN().select(0, x);
    const Eigen::MatrixXd weighted = weight.matrix().asDiagonal() * loadings_;
    const auto size = loadings_.cols();
    const Eigen::MatrixXd precision =
        Eigen::MatrixXd::Identity(size, size) + loadings_.transpose() * weighted;
    const Eigen::LLT<Eigen::MatrixXd> llt(precision);
    const Eigen::VectorXd factors = llt.solve(weighted.transpose() * seen);
    mean_ = loadings_ * factors;
    const Eigen::MatrixXd half = llt.matrixL().solve(loadings_.transpose());
    variance_ = variances_ + half.colwise().squaredNorm().transpose().array();
  }

  const Eigen::VectorXd& mean() const { return mean_; }
  /// Variance of a missing entry, including its noise.
  const Eigen::ArrayXd& variance() const { return variance_; }

 private:
  const Eigen::MatrixXd& loadings_;
  Eigen::ArrayXd variances_, variance_;
  Eigen::VectorXd mean_;
};

/// The features and weights of a row that is not in the data, given one draw of a fit.
template <class Likelihood>
class NewFactorRow : public KnownNewRow<GaussianData, Likelihood> {
  using Base = KnownNewRow<GaussianData, Likelihood>;

 public:
  NewFactorRow(const KnownFactors& known, const Eigen::VectorXd& x)
      : Base(GaussianData(Base::both(x), false), known, static_cast<int>(known.loadings.cols())) {
    Eigen::MatrixXd v = Eigen::MatrixXd::Zero(2, known.loadings.cols());
    v.row(0).setOnes();
    this->likelihood_.set(known.loadings, std::move(v));
    sigma_x_ = known.sigma_x;
  }

  Eigen::VectorXd mean() const {
    return this->likelihood_.factors() * this->likelihood_.weights().row(1).transpose();
  }

  DrawnRow draw(Rng& rng) const {
    const Eigen::VectorXd mean = this->mean(), noise = normal_vector(mean.size(), 1, rng);
    return {mean, mean + (sigma_x_ * noise.array()).matrix()};
  }

 private:
  Eigen::ArrayXd sigma_x_;
};

}  // namespace buffet
