#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "core/archive.h"
#include "core/hyper.h"
#include "core/resize.h"
#include "core/rng.h"
#include "core/special.h"

namespace buffet {

/// Upper limit for squares of weights, and of loadings in units of the noise, which keeps products
/// of several of them finite.
constexpr double most_square = 1e50;

/// Loadings of feature k are N(0, 1 / (common local_k)). The local precisions are 1, or
/// Gamma(shape, shape) each, as in Knowles & Ghahramani (2011); then the loadings of one feature
/// are jointly Student's t.
class LoadingScales {
 public:
  Hyper common;

  LoadingScales(const Hyper& common_, bool by_feature) : common(common_), by_feature_(by_feature) {}

  bool by_feature() const { return by_feature_; }
  const Eigen::VectorXd& local() const { return local_; }
  /// Precision of the loadings of each feature.
  Eigen::ArrayXd precisions() const { return common.value * local_.array(); }
  Eigen::ArrayXd sds() const { return precisions().rsqrt(); }
  double sd(int k) const { return 1 / std::sqrt(common.value * local_(k)); }

  void set_local(Eigen::VectorXd local) { local_ = std::move(local); }
  void append(double local) { append_entry(local_, local); }
  void drop(int k) { drop_entry(local_, k); }

  double draw_local(Rng& rng) const { return by_feature_ ? rng.gamma(shape, shape) : 1; }
  /// Draws the local precision given the loadings of feature k.
  void draw_local(int k, const Eigen::VectorXd& loadings, Rng& rng) {
    if (!by_feature_) return;
    local_(k) = rng.gamma(shape + 0.5 * double(loadings.size()), shape + 0.5 * squares(loadings));
  }
  /// Sum of squares in units of the common precision.
  double squares(const Eigen::VectorXd& loadings) const {
    return common.value * loadings.squaredNorm();
  }
  /// Log density, up to a constant, of the loadings of one feature, given their squares() and
  /// number, with the local precision integrated out.
  double log_density(double squares, double loadings) const {
    if (!by_feature_) return -0.5 * squares;
    return -(shape + 0.5 * loadings) * std::log(shape + 0.5 * squares);
  }

  /// Draws the common precision given the loadings, D x K.
  void draw_common(const Eigen::MatrixXd& loadings, Rng& rng) {
    const double squares = loadings.colwise().squaredNorm().dot(local_);
    common.value =
        rng.gamma(common.shape + 0.5 * double(loadings.size()), common.rate + 0.5 * squares);
  }

  double log_prior() const {
    double sum = common.log_prior();
    if (!by_feature_) return sum;
    const Hyper prior = Hyper::gamma(shape, shape);
    for (Eigen::Index k = 0; k < local_.size(); ++k) sum += prior.log_prior_at(local_(k));
    return sum;
  }

  void archive(Archive& a) {
    a(common.value);
    a(local_);
  }

 private:
  static constexpr double shape = 1;

  bool by_feature_;
  Eigen::VectorXd local_;
};

}  // namespace buffet
