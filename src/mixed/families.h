#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "family.h"

namespace buffet {

/// The families of all columns; values for the families are stored one family after the other.
class Families {
 public:
  Families(std::vector<AnyFamily> all) : all_(std::move(all)) {}

  int size() const { return static_cast<int>(all_.size()); }
  AnyFamily& operator[](int j) { return all_[j]; }
  const AnyFamily& operator[](int j) const { return all_[j]; }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  /// The expected entries of an observation, given its linear predictors.
  Eigen::VectorXd responses(const Eigen::VectorXd& eta) const {
    Eigen::VectorXd all(response_count());
    const double* from = eta.data();
    double* to = all.data();
    for (const AnyFamily& family : all_) {
      family->respond(from, to);
      from += family->width();
      to += family->responses();
    }
    return all;
  }
  int response_count() const {
    int count = 0;
    for (const AnyFamily& family : all_) count += family->responses();
    return count;
  }
  /// Draws the entries of an observation given its linear predictors.
  Eigen::VectorXd draw(const Eigen::VectorXd& eta, Rng& rng) const {
    Eigen::VectorXd x(size());
    const double* from = eta.data();
    for (int j = 0; j < size(); ++j) {
      x(j) = all_[j]->draw(from, rng);
      from += all_[j]->width();
    }
    return x;
  }

  void anneal(double u) {
    for (AnyFamily& family : all_) family->anneal(u);
  }

  int parameter_count() const {
    int count = 0;
    for (const AnyFamily& family : all_) count += family->parameters();
    return count;
  }
  void get_parameters(double* at) const {
    for (const AnyFamily& family : all_) {
      family->get(at);
      at += family->parameters();
    }
  }
  bool accept(const double* at) const {
    for (const AnyFamily& family : all_) {
      if (!family->accepts(at)) return false;
      at += family->parameters();
    }
    return true;
  }
  void set_parameters(const double* at) {
    for (AnyFamily& family : all_) {
      family->set(at);
      at += family->parameters();
    }
  }
  double log_prior() const {
    double sum = 0;
    for (const AnyFamily& family : all_) sum += family->log_prior();
    return sum;
  }

 private:
  std::vector<AnyFamily> all_;
};

}  // namespace buffet
