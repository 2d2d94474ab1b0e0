#pragma once

#include <cmath>
#include <memory>

#include "core/cubic_table.h"
#include "core/logistic_normal.h"
#include "core/polya_gamma.h"
#include "core/special.h"
#include "family.h"

namespace buffet {

/// x ~ Binomial(size, sigmoid(eta)); Bernoulli if size is 1. The likelihood of eta is normal given
/// a Polya-Gamma variable PG(size, eta).
class BinomialFamily : public Family {
 public:
  explicit BinomialFamily(int size) : size_(size) {}
  std::unique_ptr<Family> clone() const override { return std::make_unique<BinomialFamily>(*this); }

  bool holds(double x) const override { return x >= 0 && x <= size_; }
  double log_density(double x, const double* eta) const override {
    const double choose = size_ == 1 ? 0 : -std::log(size_ + 1.0) - log_beta(x + 1, size_ - x + 1);
    return choose + x * log_sigmoid(*eta) + (size_ - x) * log_sigmoid(-*eta);
  }
  double log_kernel(double x, const double* eta) const override {
    return share_ * (x * *eta - size_ * quick_softplus(*eta));
  }
  double draw(const double* eta, Rng& rng) const override {
    const double p = sigmoid(*eta);
    int count = 0;
    for (int n = 0; n < size_; ++n) count += rng.bernoulli(p);
    return count;
  }
  void respond(const double* eta, double* mean) const override { *mean = size_ * sigmoid(*eta); }

  void augment(double x, const double* eta, PseudoResponse to, Rng& rng) const override {
    *to.omega =
        share_ * (size_ == 1 ? PolyaGamma(*eta).draw(rng) : PolyaGammaSum(size_, *eta).draw(rng));
    *to.kappa = share_ * (x - 0.5 * size_);
  }
  void expect(double x, const double* eta, PseudoResponse to) const override {
    *to.omega = share_ * PolyaGammaSum(size_, *eta).mean();
    *to.kappa = share_ * (x - 0.5 * size_);
  }
  bool has_working_response() const override { return size_ > 1; }
  void work(double x, double eta, PseudoResponse to) const override {
    const double p = sigmoid(eta);
    *to.omega = share_ * size_ * p * (1 - p);
    *to.kappa = *to.omega * eta + share_ * (x - size_ * p);
  }
  double guess(double x) const override { return std::log((x + 0.5) / (size_ - x + 0.5)); }

  /// The log likelihood of an entry is weighted by size^(u / .75 - 1).
  void anneal(double u) override { share_ = u < 0.75 ? std::pow(size_, u / 0.75 - 1) : 1; }

 private:
  int size_;
  double share_ = 1;
};

}  // namespace buffet
