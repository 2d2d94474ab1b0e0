#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/hyper.h"
#include "family.h"

namespace buffet {

/// x ~ N(eta, sigma^2), with a known or learned precision 1 / sigma^2.
class NormalFamily : public Family {
 public:
  explicit NormalFamily(const Hyper& tau) : prior_(tau), sigma_(1 / std::sqrt(tau.value)) {}
  std::unique_ptr<Family> clone() const override { return std::make_unique<NormalFamily>(*this); }

  double log_density(double x, const double* eta) const override {
    const double off = (x - *eta) / sigma_;
    return -0.5 * (off * off + std::log(2 * M_PI)) - std::log(sigma_);
  }
  bool is_visited_by_density() const override { return false; }
  double draw(const double* eta, Rng& rng) const override { return *eta + sigma_ * rng.normal(); }
  void respond(const double* eta, double* mean) const override { *mean = *eta; }

  void augment(double x, const double* eta, PseudoResponse to, Rng&) const override {
    expect(x, eta, to);
  }
  void expect(double x, const double*, PseudoResponse to) const override {
    *to.omega = tau();
    *to.kappa = tau() * x;
  }

  /// Assumes standardised columns: in a search, sigma is at least .1^(u / .75).
  void anneal(double u) override {
    least_sigma_ = u < 0.75 ? std::pow(0.1, u / 0.75) : 0;
    if (prior_.learned) sigma_ = std::max(sigma_, least_sigma_);
  }

  int parameters() const override { return 1; }
  bool accepts(const double* at) const override {
    return *at > 0 && std::isnormal(1 / (*at * *at));
  }
  void get(double* at) const override { *at = sigma_; }
  void set(const double* at) override { sigma_ = *at; }
  double log_prior() const override { return prior_.log_prior_at(tau()); }
  void draw_prior(Rng& rng) override {
    if (prior_.learned) sigma_ = 1 / std::sqrt(rng.gamma(prior_.shape, prior_.rate));
  }
  void update(const ColumnSeen& seen, Rng& rng) override {
    if (!prior_.learned) return;
    const double squares = (seen.x - seen.eta.row(0).transpose()).squaredNorm();
    sigma_ = 1 / std::sqrt(rng.gamma(prior_.shape + 0.5 * double(seen.x.size()),
                                     prior_.rate + 0.5 * squares));
    sigma_ = std::max(sigma_, least_sigma_);
  }

 private:
  double tau() const { return 1 / (sigma_ * sigma_); }

  Hyper prior_;
  double sigma_, least_sigma_ = 0;
};

}  // namespace buffet
