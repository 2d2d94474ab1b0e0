#pragma once

#include <Eigen/Dense>
#include <cmath>

namespace buffet {

/// What one draw of sparse loadings G, D x K, says of the entries of a row given those of it that
/// are observed: factors are N(0, I), the noise of column j is N(0, sigma_j^2).
class GivenRow {
 public:
  GivenRow(const Eigen::MatrixXd& loadings, const Eigen::ArrayXd& sigma)
      : loadings_(loadings), variances_(sigma.square()) {}

  /// NaN where an entry is missing.
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
  /// Of an entry that is missing, with its noise.
  const Eigen::ArrayXd& variance() const { return variance_; }

 private:
  const Eigen::MatrixXd& loadings_;
  Eigen::ArrayXd variances_, variance_;
  Eigen::VectorXd mean_;
};

}  // namespace buffet
