#pragma once

#include <cmath>
#include <memory>

#include "core/hyper.h"
#include "family.h"

namespace buffet {

/// x ~ N(eta, 1 / tau), tau known or learned.
class NormalFamily : public Family {
 public:
  explicit NormalFamily(const Hyper& tau) : tau_(tau) {}
  std::unique_ptr<Family> clone() const override { return std::make_unique<NormalFamily>(*this); }

  double log_density(double x, const double* eta) const override {
    const double off = x - *eta;
    return 0.5 * (std::log(tau_.value / (2 * M_PI)) - tau_.value * off * off);
  }
  double draw(const double* eta, Rng& rng) const override {
    return *eta + rng.normal() / std::sqrt(tau_.value);
  }
  void respond(const double* eta, double* mean) const override { *mean = *eta; }

  void augment(double x, const double* eta, PseudoResponse to, Rng&) const override {
    expect(x, eta, to);
  }
  void expect(double x, const double*, PseudoResponse to) const override {
    *to.omega = tau_.value;
    *to.kappa = tau_.value * x;
  }

  int parameters() const override { return 1; }
  void get(double* at) const override { *at = 1 / std::sqrt(tau_.value); }
  void set(const double* at) override { tau_.value = 1 / (*at * *at); }
  double log_prior() const override { return tau_.log_prior(); }
  void draw_prior(Rng& rng) override {
    if (tau_.learned) tau_.value = rng.gamma(tau_.shape, tau_.rate);
  }
  void update(const ColumnSeen& seen, Rng& rng) override {
    if (!tau_.learned) return;
    const double squares = (seen.x - seen.eta.row(0).transpose()).squaredNorm();
    tau_.value = rng.gamma(tau_.shape + 0.5 * double(seen.x.size()), tau_.rate + 0.5 * squares);
  }

 private:
  Hyper tau_;
};

}  // namespace buffet
