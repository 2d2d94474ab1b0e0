#pragma once

#include <Eigen/Dense>
#include <utility>

#include "core/normal_vector.h"
#include "gibbs/new_row.h"
#include "known_factors.h"
#include "likelihood/gaussian_data.h"

namespace buffet {

/// A row that was not among the data given one draw of theirs: its features and their weights.
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
