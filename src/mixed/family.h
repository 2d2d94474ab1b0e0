#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <utility>

#include "core/rng.h"

namespace buffet {

/// The entries that a column was observed to have, and their linear predictors, a column each.
struct ColumnSeen {
  Eigen::VectorXd x;
  Eigen::MatrixXd eta;
};

/// The pseudo-response of an entry: where it points to, its linear predictors are known with
/// precisions omega to have the values kappa / omega.
struct PseudoResponse {
  double* omega;
  double* kappa;
};

/// Is x one of the categories 0, 1, ..., count - 1?
inline bool is_one_of(double x, int count) {
  return x >= 0 && x < count && x == std::floor(x);
}

/// The law of the entries of a column given their linear predictors.
class Family {
 public:
  virtual ~Family() = default;
  virtual std::unique_ptr<Family> clone() const = 0;

  /// How many linear predictors an entry has.
  virtual int width() const { return 1; }
  /// Is it a value that an entry can have?
  virtual bool holds(double x) const { return std::isfinite(x); }
  virtual double log_density(double x, const double* eta) const = 0;
  /// That, but for what does not depend on eta; and is it quick enough for every bit of a row?
  virtual double log_kernel(double x, const double* eta) const { return log_density(x, eta); }
  virtual bool is_visited_by_density() const { return true; }
  virtual double draw(const double* eta, Rng& rng) const = 0;

  /// What is expected of an entry: its mean, or the probabilities of its categories.
  virtual int responses() const { return 1; }
  virtual void respond(const double* eta, double* response) const = 0;

  /// Draws auxiliary variables given which the likelihood of eta is normal.
  virtual void augment(double x, const double* eta, PseudoResponse to, Rng& rng) const = 0;
  /// The same at their means: a step of expectation maximisation.
  virtual void expect(double x, const double* eta, PseudoResponse to) const = 0;

  /// An entry's score with its information as a pseudo-response, only of one linear predictor. Does
  /// it know more of eta than auxiliary variables do? Where does an entry alone put that?
  virtual void work(double, double, PseudoResponse) const {}
  virtual bool has_working_response() const { return false; }
  virtual double guess(double) const { return 0; }

  /// True if the precisions of all pseudo-responses are 1.
  virtual bool is_probit() const { return false; }
  /// True if its own parameters have the place of a bias.
  virtual bool has_place() const { return false; }

  /// At progress u in [0, 1] of a search: soft first, so that features are found before they fit
  /// well; itself from u = .75 on. What it is, not what it is for now, has densities and draws.
  virtual void anneal(double) {}

  /// Parameters of its own: how many, whether these can be theirs, their values, log prior density,
  /// draws of them from the prior and given what was observed.
  virtual int parameters() const { return 0; }
  virtual bool accepts(const double*) const { return true; }
  virtual void get(double*) const {}
  virtual void set(const double*) {}
  virtual double log_prior() const { return 0; }
  virtual void draw_prior(Rng&) {}
  virtual void update(const ColumnSeen&, Rng&) {}

  /// Can linear predictors be multiplied by a factor, and what they are compared with as well? That
  /// is then multiplied, too: the change of its log prior density and the log of the Jacobian.
  virtual bool stretches() const { return parameters() == 0; }
  virtual double stretch(double) { return 0; }

  double log_lik(const ColumnSeen& seen) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < seen.x.size(); ++i)
      sum += log_density(seen.x(i), seen.eta.col(i).data());
    return sum;
  }
};

/// A family by value.
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
