#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "../meibp.h"
#include "problem.h"

namespace bench {

/// The quantity that decides when a method stops.
enum class Ending { by_rule, not_yet, by_itself };

/// A running method, in the form in which all methods are compared.
class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual void iterate() = 0;
  /// Log likelihood of the observed entries.
  virtual double training() const = 0;
  /// Log densities of the entries at these positions, given the current state.
  virtual Eigen::ArrayXXd log_density(const Places& at) const = 0;
  virtual int features() const = 0;
  /// False while the method searches for an initial state.
  virtual bool has_state() const { return true; }
  virtual Ending ending() const { return Ending::by_rule; }
};

/// The stopping rule of all methods: the mean training log likelihood over five iterations differs
/// by less than a relative 1e-4 from the mean over the previous five.
class Rest {
 public:
  bool reached_with(double training) {
    block_ += training / 5;
    if (++count_ % 5 > 0) return false;
    const bool rests = std::abs(block_ - before_) < 1e-4 * std::abs(before_);
    before_ = block_;
    block_ = 0;
    return rests;
  }

 private:
  int count_ = 0;
  double before_ = NAN, block_ = 0;
};

/// Input from which competitors are constructed.
struct Entry {
  const Problem& problem;
  const Input& input;
  Moments moments;  ///< moments of the original data
  int features;     ///< 0: no limit
  int seed;

  /// The hyperparameters used in the paper, and the defaults of buffet.
  double sigma() const { return 0.75 * moments.sd; }
  Model papers() const { return fixed(3, sigma(), sigma()); }
};

/// Log density of x under N(mean, variance).
inline double log_normal(double x, double mean, double variance) {
  const double gap = x - mean;
  return -0.5 * (std::log(2 * M_PI * variance) + gap * gap / variance);
}

/// Evaluates f(row, h, value) at all hidden entries; h is the index of the hidden column.
template <class F>
Eigen::ArrayXXd at_places(const Places& at, F f) {
  Eigen::ArrayXXd densities(at.problem.columns.size(), at.count());
  for (int n = 0; n < at.count(); ++n)
    for (int h = 0; h < densities.rows(); ++h) densities(h, n) = f(at.row(n), h, at.values(n)(h));
  return densities;
}

/// E log p(X | Z, A) for a method with variational factors.
template <class Factor>
double expected_log_lik(const Factor& q, double observed) {
  return 0.5 * observed * (q.tau_x().mean_log() - std::log(2 * M_PI)) -
         0.5 * q.tau_x().mean() * q.residual();
}

}  // namespace bench
