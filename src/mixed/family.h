#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <utility>

#include "core/rng.h"

namespace buffet {

/// The observed entries of a column, and their linear predictors, one column per entry.
struct ColumnSeen {
  Eigen::VectorXd x;
  Eigen::MatrixXd eta;
};

/// The pseudo-response of an entry: pointers to omega and kappa. The linear predictors are treated
/// as if observed at kappa / omega with precisions omega.
struct PseudoResponse {
  double* omega;
  double* kappa;
};

/// True if x is one of the categories 0, 1, ..., count - 1.
inline bool is_one_of(double x, int count) {
  return x >= 0 && x < count && x == std::floor(x);
}

/// The distribution of the entries of a column given their linear predictors.
class Family {
 public:
  virtual ~Family() = default;
  virtual std::unique_ptr<Family> clone() const = 0;

  /// Number of linear predictors per entry.
  virtual int width() const { return 1; }
  /// True if this is a valid value of an entry.
  virtual bool holds(double x) const { return std::isfinite(x); }
  virtual double log_density(double x, const double* eta) const = 0;
  /// The log density up to terms that do not depend on eta, and whether it is fast enough to
  /// evaluate for every bit of a row.
  virtual double log_kernel(double x, const double* eta) const { return log_density(x, eta); }
  virtual bool is_visited_by_density() const { return true; }
  virtual double draw(const double* eta, Rng& rng) const = 0;

  /// The expected value of an entry: its mean, or the probabilities of its categories.
  virtual int responses() const { return 1; }
  virtual void respond(const double* eta, double* response) const = 0;

  /// Draws auxiliary variables given which the likelihood of eta is normal.
  virtual void augment(double x, const double* eta, PseudoResponse to, Rng& rng) const = 0;
  /// Sets the auxiliary variables to their means: a step of expectation maximisation.
  virtual void expect(double x, const double* eta, PseudoResponse to) const = 0;

  /// The score and information of an entry as a pseudo-response; only for families with one linear
  /// predictor. has_working_response() is true if this is more informative about eta than auxiliary
  /// variables. guess() is the value of eta suggested by the entry alone.
  virtual void work(double, double, PseudoResponse) const {}
  virtual bool has_working_response() const { return false; }
  virtual double guess(double) const { return 0; }

  /// True if the precisions of all pseudo-responses are 1.
  virtual bool is_probit() const { return false; }
  /// True if the family's own parameters play the role of a bias.
  virtual bool has_place() const { return false; }

  /// At progress u in [0, 1] of a search: flattens the family at first, so features are found
  /// before they fit well; from u = .75 on, the family is unchanged. Densities and draws always use
  /// the unchanged family.
  virtual void anneal(double) {}

  /// The family's own parameters: their number, whether values are valid, their values, log prior
  /// density, and draws from the prior and given the observed entries.
  virtual int parameters() const { return 0; }
  virtual bool accepts(const double*) const { return true; }
  virtual void get(double*) const {}
  virtual void set(const double*) {}
  virtual double log_prior() const { return 0; }
  virtual void draw_prior(Rng&) {}
  virtual void update(const ColumnSeen&, Rng&) {}

  /// True if the linear predictors and the parameters with which they are compared can be
  /// multiplied by the same factor. stretch() multiplies these parameters and returns the change in
  /// their log prior density plus the log Jacobian.
  virtual bool stretches() const { return parameters() == 0; }
  virtual double stretch(double) { return 0; }

  double log_lik(const ColumnSeen& seen) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < seen.x.size(); ++i)
      sum += log_density(seen.x(i), seen.eta.col(i).data());
    return sum;
  }
};

/// A family with value semantics.
class AnyFamily {
 public:
  explicit AnyFamily(std::unique_ptr<Family> family) : family_(std::move(family)) {}
  AnyFamily(const AnyFamily& other) : family_(other.family_->clone()) {}
  AnyFamily(AnyFamily&&) = default;
  AnyFamily& operator=(AnyFamily other) {
    family_ = std::move(other.family_);
    return *this;
  }

  Family* operator->() { return family_.get(); }
  const Family* operator->() const { return family_.get(); }

 private:
  std::unique_ptr<Family> family_;
};

template <class F, class... Arguments>
AnyFamily family(Arguments&&... arguments) {
  return AnyFamily(std::make_unique<F>(std::forward<Arguments>(arguments)...));
}

}  // namespace buffet
