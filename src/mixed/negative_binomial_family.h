#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "core/cubic_table.h"
#include "core/logistic_normal.h"
#include "core/polya_gamma.h"
#include "core/slice.h"
#include "core/special.h"
#include "family.h"

namespace buffet {

/// Counts with mean m = exp(offset + eta) and variance m + m^2 / size: with psi = log(m / size),
/// p(x) = Gamma(x + size) / (Gamma(size) x!) sigmoid(psi)^x sigmoid(-psi)^size. The likelihood of
/// psi is normal given a Polya-Gamma variable PG(x + size, psi). If the size is learned, its
/// logarithm is N(1, 2^2) a priori, truncated to [-7, 7]: at larger sizes, data cannot distinguish
/// the counts from Poisson counts.
class NegativeBinomialFamily : public Family {
 public:
  explicit NegativeBinomialFamily(double offset) : offset_(offset) { put_size(M_E, infinite); }
  /// For a known size.
  NegativeBinomialFamily(double offset, double size) : offset_(offset), learned_(false) {
    put_size(size, infinite);
  }
  std::unique_ptr<Family> clone() const override {
    return std::make_unique<NegativeBinomialFamily>(*this);
  }

  bool holds(double x) const override { return std::isfinite(x) && x >= 0; }
  double log_density(double x, const double* eta) const override {
    const double psi = log_odds(*eta);
    return log_gamma(x + size_) - log_gamma(size_) - log_gamma(x + 1) + x * log_sigmoid(psi) +
           size_ * log_sigmoid(-psi);
  }
  double log_kernel(double x, const double* eta) const override {
    return x * *eta - (x + soft_size_) * quick_softplus(soft_log_odds(*eta));
  }
  double draw(const double* eta, Rng& rng) const override {
    const double rate = rng.gamma(size_, std::exp(-log_odds(*eta)));
    return rng.poisson(std::min(rate, 1e9));
  }
  void respond(const double* eta, double* mean) const override { *mean = std::exp(offset_ + *eta); }

  void augment(double x, const double* eta, PseudoResponse to, Rng& rng) const override {
    pseudo(x, softened(x, *eta).draw(rng), to);
  }
  void expect(double x, const double* eta, PseudoResponse to) const override {
    pseudo(x, softened(x, *eta).mean(), to);
  }

  bool has_working_response() const override { return true; }
  void work(double x, double eta, PseudoResponse to) const override {
    const double share = sigmoid(soft_log_odds(eta));
    *to.omega = soft_size_ * share;
    *to.kappa = *to.omega * eta + x - (x + soft_size_) * share;
  }
  double guess(double x) const override { return std::log(x + 0.5) - offset_; }

  /// In a search, the size used for the auxiliary variables is at most exp(7 u / .75).
  void anneal(double u) override {
    put_size(size_, u < 0.75 ? std::exp(most * u / 0.75) : infinite);
  }

  int parameters() const override { return learned_ ? 1 : 0; }
  bool accepts(const double* at) const override {
    return !learned_ || std::abs(std::log(*at)) < most + 1e-9;
  }
  void get(double* at) const override {
    if (learned_) *at = size_;
  }
  void set(const double* at) override {
    if (learned_) put_size(*at, most_size_);
  }
  double log_prior() const override {
    return learned_ ? log_prior_of_log(std::log(size_)) - std::log(size_) : 0;
  }
  void draw_prior(Rng& rng) override {
    if (!learned_) return;
    double log_size;
    do log_size = 1 + 2 * rng.normal();
    while (std::abs(log_size) > most);
    put_size(std::exp(log_size), most_size_);
  }
  /// The gamma functions are computed once per distinct count.
  void update(const ColumnSeen& seen, Rng& rng) override {
    if (!learned_) return;
    std::map<double, int> counts;
    for (Eigen::Index i = 0; i < seen.x.size(); ++i) ++counts[seen.x(i)];
    const auto log_density_of = [&](double size) {
      double sum = log_prior_of_log(std::log(size));
      for (const auto& [x, times] : counts) sum += times * (log_gamma(x + size) - log_gamma(size));
      const double shift = offset_ - std::log(size);
      for (Eigen::Index i = 0; i < seen.x.size(); ++i) {
        const double psi = shift + seen.eta(0, i);
        sum += seen.x(i) * psi - (seen.x(i) + size) * quick_softplus(psi);
      }
      return sum;
    };
    put_size(slice_positive(size_, log_density_of, {1, most}, rng), most_size_);
  }

 private:
  static constexpr double most = 7;

  static double log_prior_of_log(double log_size) {
    const double off = 0.5 * (log_size - 1);
    return -0.5 * off * off - std::log(2 * std::sqrt(2 * M_PI));
  }
  /// Sets everything that depends on the size.
  void put_size(double size, double most_size) {
    size_ = size;
    most_size_ = most_size;
    soft_size_ = std::min(size, most_size);
    shift_ = offset_ - std::log(size);
    soft_shift_ = offset_ - std::log(soft_size_);
  }
  double log_odds(double eta) const { return shift_ + eta; }
  double soft_log_odds(double eta) const { return soft_shift_ + eta; }
  PolyaGammaSum softened(double x, double eta) const {
    return {x + soft_size_, soft_log_odds(eta)};
  }
  /// The pseudo-response for psi has kappa = (x - size) / 2.
  void pseudo(double x, double omega, PseudoResponse to) const {
    *to.omega = omega;
    *to.kappa = 0.5 * (x - soft_size_) - omega * soft_log_odds(0);
  }

  static constexpr double infinite = std::numeric_limits<double>::infinity();

  double offset_, size_, most_size_, soft_size_, shift_, soft_shift_;
  bool learned_ = true;
};

}  // namespace buffet
