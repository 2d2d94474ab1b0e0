#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/archive.h"
#include "core/bounded_gamma.h"
#include "core/rng.h"
#include "gaussian/gaussian_scales.h"

namespace buffet {

/// For every column or every row, the number of values and the sum of their squares.
struct Squares {
  Eigen::ArrayXd count, sum;

  /// Mean over all columns; 1 if it is 0.
  double mean() const {
    const double squares = sum.sum();
    return squares > 0 ? squares / count.sum() : 1;
  }
  /// Mean of each column; the overall mean if a column's mean is 0.
  Eigen::ArrayXd means() const {
    return (sum > 0).select(sum / count.max(1.0), Eigen::ArrayXd::Constant(sum.size(), mean()));
  }
};

/// The precisions 1/sigma_j^2 of the noise of each column, either all fixed or all learned under
/// gamma priors with the same shape, and 1/sigma_a^2. As with a common noise variance, a learned
/// sigma_j is at least a thousandth of sigma_a. During the search in a warm-up, the precisions have
/// ceilings.
class ColumnPrecisions {
 public:
  ColumnPrecisions(int columns, const Precisions& prior)
      : prior_(prior.x),
        a_(prior.a),
        rates_(Eigen::ArrayXd::Constant(columns, prior.x.rate)),
        own_(Eigen::ArrayXd::Constant(columns, prior.x.value)),
        x_(own_) {}
  /// Sets a separate rate for the prior of each precision; the shape is shared.
  void set_rates(const Eigen::ArrayXd& rates) { rates_ = rates; }

  const Eigen::ArrayXd& x() const { return x_; }
  const Hyper& a() const { return a_; }
  Eigen::ArrayXd sigmas() const { return x_.rsqrt(); }
  double sigma_x() const { return std::sqrt(x_.inverse().mean()); }  ///< root mean square
  double sigma_a() const { return 1 / std::sqrt(a_.value); }

  void set(const Eigen::ArrayXd& x, double a) {
    own_ = x;
    a_.value = a;
    cap();
  }
  /// Sets sigma_x, keeping the proportions, if it is learned.
  void set(double x, double a) {
    if (prior_.learned) own_ *= x * sigma_x() * sigma_x();
    a_.value = a;
    cap();
  }

  /// Learned values start at the root mean squares of the columns, and sigma_a at the overall one.
  void restart(const Squares& data) {
    const double all = 1 / data.mean();
    if (a_.learned) a_.value = all;
    if (prior_.learned) own_ = data.means().inverse().min(0.5 * a_.value / least_rho);
    cap();
  }

  /// At progress u in [0, 1] of a warm-up, sigma_j is at least rms_j F^(-u/.75), where rms_j is the
  /// column's root mean square; from u = .75 on there is no such floor. F is 10 or, if sigma_j is
  /// fixed, the value with which the floor ends at sigma_j.
  void anneal(double u, const Squares& data) {
    most_.resize(0);
    if (u < 0.75) {
      const Eigen::ArrayXd squares = data.means();
      most_ = prior_.learned ? Eigen::ArrayXd::Constant(own_.size(), 100)
                             : Eigen::ArrayXd((squares * own_).max(1.0));
      most_ = most_.pow(u / 0.75) / squares;
    }
    cap();
  }

  /// Draws the learned precisions given the residuals of the data, the number of loadings, and the
  /// sum of their squares.
  void update(const Squares& rest, double loads, double squares, Rng& rng) {
    if (prior_.learned)
      for (int j = 0; j < own_.size(); ++j)
        own_(j) = BoundedGamma{prior_.shape + 0.5 * rest.count(j), rates_(j) + 0.5 * rest.sum(j),
                               a_.value / most_rho, most_x(j)}
                      .draw(own_(j), rng);
    cap();
    // Without features sigma_a would drift from the scale of the data to the scale of its prior.
    if (a_.learned && !(most_.size() > 0 && loads == 0))
      a_.value = BoundedGamma{a_.shape + 0.5 * loads, a_.rate + 0.5 * squares,
                              least_rho * own_.maxCoeff(), most_rho * own_.minCoeff()}
                     .draw(a_.value, rng);
  }

  double log_hyperprior() const {
    return a_.log_prior() + sum([](const Hyper& x) { return x.log_prior(); });
  }
  double log_hyperprior_of_logs() const {
    return a_.log_prior_of_log(a_.value) +
           sum([](const Hyper& x) { return x.log_prior_of_log(x.value); });
  }

  void archive(Archive& archive) {
    archive.of_same_size(own_, "precisions of columns");
    archive(most_);
    archive.check(most_.size() == 0 || most_.size() == own_.size(), "limits of precisions");
    archive(a_.value);
    cap();
  }

 private:
  static constexpr double least_rho = 1e-6, most_rho = 1e12;  ///< of sigma_j^2 / sigma_a^2

  double most_x(int j) const {
    const double most = a_.value / least_rho;
    return most_.size() > 0 ? std::min(most, most_(j)) : most;
  }
  void cap() { x_ = most_.size() > 0 ? Eigen::ArrayXd(own_.min(most_)) : own_; }

  /// The sum of f over all learned precisions.
  template <class F>
  double sum(F f) const {
    double sum = 0;
    Hyper each = prior_;
    for (int j = 0; j < own_.size(); ++j) {
      each.value = own_(j);
      each.rate = rates_(j);
      sum += f(each);
    }
    return sum;
  }

  Hyper prior_, a_;
  Eigen::ArrayXd rates_;       ///< rates of the priors of the columns
  Eigen::ArrayXd own_, most_;  ///< most_: ceilings, empty if there are none
  Eigen::ArrayXd x_;           ///< the smaller of the two
};

}  // namespace buffet
