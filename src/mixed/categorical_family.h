#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/truncated_normal.h"
#include "family.h"

namespace buffet {

/// Categories x = 0, ..., C - 1 in a multinomial probit model: x has the largest utility, u_c ~
/// N(eta_c, 1). Given x, the largest utility t has density proportional to phi(t - eta_x) prod_{c
/// != x} Phi(t - eta_c): it is drawn exactly, by rejection, and the others are normals truncated to
/// values below it.
class CategoricalFamily : public Family {
 public:
  explicit CategoricalFamily(int categories)
      : categories_(categories), width_(std::min(0.5, 1 / std::sqrt(double(categories)))) {
    for (double by = least_node; by < most_node; by += width_)
      weights_.push_back(width_ * std::exp(-0.5 * by * by) / std::sqrt(2 * M_PI));
  }
  std::unique_ptr<Family> clone() const override {
    return std::make_unique<CategoricalFamily>(*this);
  }

  int width() const override { return categories_; }
  bool is_probit() const override { return true; }
  bool holds(double x) const override { return is_one_of(x, categories_); }
  double log_density(double x, const double* eta) const override {
    const int chosen = static_cast<int>(x);
    if (*std::max_element(eta, eta + categories_) - eta[chosen] > 5)
      return Largest(chosen, eta, categories_).log_mass();
    double sum = 0;
    for (std::size_t n = 0; n < weights_.size(); ++n) {
      const double t = eta[chosen] + least_node + double(n) * width_;
      double mass = weights_[n];
      for (int c = 0; c < categories_; ++c)
        if (c != chosen) mass *= quick_normal_cdf(t - eta[c]);
      sum += mass;
    }
    return std::log(sum);
  }
  bool is_visited_by_density() const override { return false; }
  double draw(const double* eta, Rng& rng) const override {
    int best = 0;
    double most = 0;
    for (int c = 0; c < categories_; ++c) {
      const double u = eta[c] + rng.normal();
      if (c == 0 || u > most) {
        best = c;
        most = u;
      }
    }
    return best;
  }
  int responses() const override { return categories_; }
  /// All probabilities at once, by the trapezoidal rule: the density of the event that category c
  /// has the largest utility and that it equals t is phi(t - eta_c) prod_{d != c} Phi(t - eta_d).
  /// Each step multiplies phi by a factor, and this factor by exp(-width^2).
  void respond(const double* eta, double* probabilities) const override {
    thread_local std::vector<double> below, density, factor, masses;
    below.resize(categories_);
    density.resize(categories_);
    factor.resize(categories_);
    masses.resize(categories_);
    const double first = *std::max_element(eta, eta + categories_) + least_node;
    for (int c = 0; c < categories_; ++c) {
      const double t = first - eta[c];
      probabilities[c] = 0;
      density[c] = std::exp(-0.5 * t * t);
      factor[c] = std::exp(-width_ * (t + 0.5 * width_));
    }
    const double slowing = std::exp(-width_ * width_);
    for (double t = first; t < first - 2 * least_node; t += width_) {
      double before = 1, after = 1;
      for (int c = 0; c < categories_; ++c) below[c] = quick_normal_cdf(t - eta[c]);
      for (int c = 0; c < categories_; ++c) {
        const double mass = density[c] * before;
        before *= below[c];
        density[c] *= factor[c];
        factor[c] *= slowing;
        masses[c] = mass;
      }
      for (int c = categories_ - 1; c >= 0; --c) {
        probabilities[c] += masses[c] * after;
        after *= below[c];
      }
    }
    double all = 0;
    for (int c = 0; c < categories_; ++c) all += probabilities[c];
    for (int c = 0; c < categories_; ++c) probabilities[c] /= all;
  }

  void augment(double x, const double* eta, PseudoResponse to, Rng& rng) const override {
    const int chosen = static_cast<int>(x);
    const double most = Largest(chosen, eta, categories_).draw(rng);
    for (int c = 0; c < categories_; ++c) {
      to.omega[c] = 1;
      // Because u is truncated to values below `most`, most - u is nonnegative.
      to.kappa[c] = c == chosen ? most : most - draw_nonnegative_normal(most - eta[c], 1, rng);
    }
  }
  /// The mean of the largest utility is eta_x plus the sum of the amounts by which the means of the
  /// other utilities fall below their eta: the sum of all utilities has mean sum_c eta_c given the
  /// choice, because the choice does not change if all utilities are shifted.
  void expect(double x, const double* eta, PseudoResponse to) const override {
    const int chosen = static_cast<int>(x);
    std::fill(to.kappa, to.kappa + categories_, 0.0);
    const Largest largest(chosen, eta, categories_);
    const double all = largest.integrate([&](double t, double mass) {
      for (int c = 0; c < categories_; ++c)
        if (c != chosen) to.kappa[c] += mass * hazard(t - eta[c]);
    });
    for (int c = 0; c < categories_; ++c) {
      to.omega[c] = 1;
      if (c == chosen) continue;
      const double below = to.kappa[c] / all;
      to.kappa[c] = eta[c] - below;
      to.kappa[chosen] += below;
    }
    to.kappa[chosen] += eta[chosen];
  }

 private:
  static double hazard(double t) {
    if (t >= NormalTable::from && t < NormalTable::to) return normal_table.hazard(t);
    return std::exp(-0.5 * t * t - log_normal_cdf(t)) / std::sqrt(2 * M_PI);
  }

  /// The largest utility t, which belongs to the chosen category: its density phi(t - eta_x)
  /// exp(g(t)) is bounded by a multiple of a normal density with variance 1, because g is concave
  /// and therefore below its tangent near the mode.
  class Largest {
   public:
    Largest(int chosen, const double* eta, int categories)
        : chosen_(chosen), eta_(eta), categories_(categories), at_(eta[chosen]) {
      Slopes slopes = slopes_at(at_);
      for (int n = 0; n < 5; ++n) {
        const double by = (slopes.first - (at_ - eta_[chosen_])) / (1 - slopes.second);
        at_ += by;
        slopes = slopes_at(at_);
        if (std::abs(by) < 1e-2) break;
      }
      slope_ = slopes.first;
      level_ = others(at_);
    }

    double draw(Rng& rng) const {
      for (;;) {
        const double t = eta_[chosen_] + slope_ + rng.normal();
        if (std::log(rng.uniform()) <= log_share(t)) return t;
      }
    }
    /// Log of the integral, by the trapezoidal rule: the curvature of the log density is at most
    /// the number of categories, so steps of one over its square root have an error of exp(-2
    /// pi^2).
    double log_mass() const {
      const double sum = integrate([](double, double) {});
      return std::log(sum / std::sqrt(2 * M_PI)) + level_ +
             slope_ * (eta_[chosen_] - at_ + 0.5 * slope_);
    }
    /// Calls f(t, mass) at the nodes; returns the sum of the masses.
    template <class F>
    double integrate(F f) const {
      const double width = std::min(0.5, 1 / std::sqrt(double(categories_)));
      const int reach = static_cast<int>(std::ceil(6.5 / width));
      double sum = 0;
      for (int n = -reach; n <= reach; ++n) {
        const double by = n * width, t = eta_[chosen_] + slope_ + by;
        const double mass = width * std::exp(log_share(t) - 0.5 * by * by);
        f(t, mass);
        sum += mass;
      }
      return sum;
    }

   private:
    struct Slopes {
      double first, second;
    };

    /// Log ratio of the density to the normal bound: at most 0.
    double log_share(double t) const { return others(t) - level_ - slope_ * (t - at_); }

    /// g: log probability that the other utilities are smaller.
    double others(double t) const {
      double sum = 0;
      for (int c = 0; c < categories_; ++c)
        if (c != chosen_) sum += quick_log_normal_cdf(t - eta_[c]);
      return sum;
    }
    Slopes slopes_at(double t) const {
      Slopes sum{0, 0};
      for (int c = 0; c < categories_; ++c) {
        if (c == chosen_) continue;
        const double by = t - eta_[c], h = hazard(by);
        sum.first += h;
        sum.second -= h * (by + h);
      }
      return sum;
    }
    int chosen_;
    const double* eta_;
    int categories_;
    double at_, slope_ = 0, level_ = 0;
  };

  /// Range of t - eta_x in the quadrature, which is sufficient unless a choice is very improbable.
  static constexpr double least_node = -6.5, most_node = 9.5;

  int categories_;
  double width_;
  std::vector<double> weights_;  ///< normal density at each node, times the width
};

}  // namespace buffet
