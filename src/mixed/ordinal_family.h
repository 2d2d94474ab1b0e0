#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/normal_between.h"
#include "core/slice.h"
#include "family.h"

namespace buffet {

/// Ordered categories x = 0, 1, ..., C - 1 in an ordered probit model: x = c if u ~ N(eta, 1) is
/// between the cut points of c. The first cut point is 0 if there is a bias, otherwise N(0,
/// scale^2); the gaps between cut points are exponential with mean `scale`. Cut points are drawn
/// with u integrated out.
class OrdinalFamily : public Family {
 public:
  OrdinalFamily(int categories, bool anchored, double scale = 1)
      : anchored_(anchored), scale_(scale), cuts_(categories - 1) {
    for (std::size_t c = 0; c < cuts_.size(); ++c) cuts_[c] = double(c);
  }
  std::unique_ptr<Family> clone() const override { return std::make_unique<OrdinalFamily>(*this); }

  bool holds(double x) const override { return is_one_of(x, responses()); }
  double log_density(double x, const double* eta) const override {
    const int c = static_cast<int>(x);
    return log_normal_between(cut(c - 1) - *eta, cut(c) - *eta);
  }
  double log_kernel(double x, const double* eta) const override {
    const int c = static_cast<int>(x);
    LogNormalBetween one;
    one.add(cut(c - 1) - *eta, cut(c) - *eta);
    return one.log();
  }
  double draw(const double* eta, Rng& rng) const override {
    const double u = *eta + rng.normal();
    int c = 0;
    while (u > cut(c)) ++c;
    return c;
  }
  int responses() const override { return static_cast<int>(cuts_.size()) + 1; }
  void respond(const double* eta, double* probabilities) const override {
    double below = 0;
    for (int c = 0; c < responses(); ++c) {
      const double to = c < parameters() ? quick_normal_cdf(cut(c) - *eta) : 1;
      probabilities[c] = to - below;
      // The difference of two nearly equal numbers would be inaccurate.
      if (probabilities[c] < 1e-4) probabilities[c] = std::exp(log_density(c, eta));
      below = to;
    }
  }

  void augment(double x, const double* eta, PseudoResponse to, Rng& rng) const override {
    const int c = static_cast<int>(x);
    *to.omega = 1;
    *to.kappa = *eta + draw_normal_between(cut(c - 1) - *eta, cut(c) - *eta, rng);
  }
  void expect(double x, const double* eta, PseudoResponse to) const override {
    const int c = static_cast<int>(x);
    *to.omega = 1;
    *to.kappa = *eta + mean_normal_between(cut(c - 1) - *eta, cut(c) - *eta);
  }

  void work(double x, double eta, PseudoResponse to) const override {
    const int c = static_cast<int>(x);
    const double low = cut(c - 1) - eta, high = cut(c) - eta;
    const double log_mass = log_normal_between(low, high);
    const auto times_density = [&](double t) {
      return std::isinf(t) ? 0 : t * density_between(t, log_mass);
    };
    const double score = density_between(low, log_mass) - density_between(high, log_mass);
    *to.omega = score * score + times_density(high) - times_density(low);
    *to.kappa = *to.omega * eta + score;
  }

  bool is_probit() const override { return true; }
  bool has_place() const override { return !anchored_; }

  int parameters() const override { return static_cast<int>(cuts_.size()); }
  bool accepts(const double* at) const override {
    const double* end = at + cuts_.size();
    return std::all_of(at, end, [](double cut) { return std::abs(cut) < most_cut; }) &&
           std::adjacent_find(at, end, std::greater_equal<>()) == end;
  }
  void get(double* at) const override { std::copy(cuts_.begin(), cuts_.end(), at); }
  void set(const double* at) override { cuts_.assign(at, at + cuts_.size()); }
  double log_prior() const override {
    const double first = cuts_[0] / scale_;
    const double sum =
        anchored_ ? 0 : -0.5 * first * first - std::log(scale_ * std::sqrt(2 * M_PI));
    return sum - (cuts_.back() - cuts_[0]) / scale_ - (parameters() - 1) * std::log(scale_);
  }
  void draw_prior(Rng& rng) override {
    cuts_[0] = anchored_ ? 0 : scale_ * rng.normal();
    for (std::size_t c = 1; c < cuts_.size(); ++c)
      cuts_[c] = cuts_[c - 1] + scale_ * rng.gamma(1, 1);
  }
  /// Updates the gaps one by one, each with a shift of the cut points above it; then shifts all cut
  /// points together.
  void update(const ColumnSeen& seen, Rng& rng) override {
    std::vector<std::vector<double>> eta(responses());
    for (Eigen::Index i = 0; i < seen.x.size(); ++i)
      eta[static_cast<int>(seen.x(i))].push_back(seen.eta(0, i));
    for (int c = 1; c < parameters(); ++c) {
      const double gap = cuts_[c] - cuts_[c - 1];
      const auto log_density_of = [&](double other) {
        return std::log(other) - other / scale_ + log_lik_moved(c, other - gap, eta);
      };
      // About three standard deviations, given the number of entries between the cut points.
      const double width = 3 / std::sqrt(3 + double(eta[c].size()));
      move(c, slice_positive(gap, log_density_of, {width, 20}, rng) - gap);
    }
    if (anchored_) return;
    const auto log_density_of = [&](double by) {
      const double first = (cuts_[0] + by) / scale_;
      return -0.5 * first * first + log_lik_moved(0, by, eta);
    };
    move(0, slice_sample(0, log_density_of, 0.5, rng));
  }
  bool stretches() const override { return true; }
  double stretch(double by) override {
    const double before = log_prior();
    for (double& cut : cuts_) cut *= by;
    return log_prior() - before + (parameters() - (anchored_ ? 1 : 0)) * std::log(by);
  }

 private:
  static constexpr double most_cut = 1e9;  ///< gaps are limited to exp(20)

  double cut(int c) const {
    if (c < 0) return -std::numeric_limits<double>::infinity();
    return c < static_cast<int>(cuts_.size()) ? cuts_[c] : std::numeric_limits<double>::infinity();
  }
  void move(int from, double by) {
    for (std::size_t c = from; c < cuts_.size(); ++c) cuts_[c] += by;
  }
  /// Log likelihood of the linear predictors in each category if all cut points from `from` on are
  /// moved, omitting the categories that this does not affect.
  double log_lik_moved(int from, double by, const std::vector<std::vector<double>>& eta) const {
    LogNormalBetween sum;
    for (int c = from; c < responses(); ++c) {
      const double low = cut(c - 1) + (c > from ? by : 0), high = cut(c) + by;
      for (double at : eta[c]) sum.add(low - at, high - at);
    }
    return sum.log();
  }

  bool anchored_;
  double scale_;
  std::vector<double> cuts_;
};

}  // namespace buffet
