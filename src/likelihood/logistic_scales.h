#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>

#include "core/archive.h"
#include "core/bounded_gamma.h"
#include "core/hyper.h"
#include "core/rng.h"

namespace buffet {

/// The precisions 1/sigma_a^2 of the weights and 1/sigma_b^2 of the bias, and whether there is a
/// bias. Both fixed and learned sigmas must be between 0.01 and 30: outside this range, the
/// exponentials of log odds leave the range of doubles.
struct LogisticScales {
  Hyper a, b;
  bool bias = true;

  double sigma_a() const { return 1 / std::sqrt(a.value); }
  double sigma_b() const { return bias ? 1 / std::sqrt(b.value) : NAN; }

  void set(double precision_a, double precision_b) {
    a.value = precision_a;
    b.value = precision_b;
  }
  /// Standard deviations of weights and biases; NaN leaves one unchanged.
  void start_at(const std::array<double, 2>& sigmas) {
    if (!std::isnan(sigmas[0])) a.value = 1 / (sigmas[0] * sigmas[0]);
    if (!std::isnan(sigmas[1])) b.value = 1 / (sigmas[1] * sigmas[1]);
  }

  /// The number of values, and the sum of their squares.
  struct Squares {
    double count, sum;
  };

  /// Draws the learned precisions given weights and biases.
  void update(const Squares& weights, const Squares& biases, Rng& rng) {
    draw(a, weights, rng);
    if (bias) draw(b, biases, rng);
  }

  /// Log prior density of the logarithm of a precision, within its range.
  double log_density_of_a(double value) const {
    return value >= least && value <= most ? a.log_prior_of_log(value)
                                           : -std::numeric_limits<double>::infinity();
  }

  /// Log density of weights and biases.
  double log_density(const Eigen::MatrixXd& w, const Eigen::VectorXd& biases) const {
    return log_normal(w, a.value) + (bias ? log_normal(biases, b.value) : 0);
  }

  double log_hyperprior() const { return a.log_prior() + (bias ? b.log_prior() : 0); }
  double log_hyperprior_of_logs() const {
    return a.log_prior_of_log(a.value) + (bias ? b.log_prior_of_log(b.value) : 0);
  }

  /// True if sigma is within the permitted range.
  static bool is_sigma(double sigma) { return sigma > 0 && is_in_range(1 / (sigma * sigma)); }

  void restart() {
    if (a.learned) a.value = 1;
    if (b.learned) b.value = 1;
  }

  void archive(Archive& archive) {
    archive(a.value);
    archive(b.value);
  }

 private:
  template <class Matrix>
  static double log_normal(const Matrix& m, double precision) {
    return 0.5 * double(m.size()) * std::log(precision / (2 * M_PI)) -
           0.5 * precision * m.squaredNorm();
  }

  static constexpr double least = 1 / (30.0 * 30.0), most = 1e4;

  /// True if the precision is within the permitted range, up to rounding.
  static bool is_in_range(double precision) {
    return precision > 0.999 * least && precision < 1.001 * most;
  }

  static void draw(Hyper& tau, const Squares& of, Rng& rng) {
    if (!tau.learned) return;
    const BoundedGamma law{tau.shape + 0.5 * of.count, tau.rate + 0.5 * of.sum, least, most};
    tau.value = law.draw(tau.value, rng);
  }
};

}  // namespace buffet
