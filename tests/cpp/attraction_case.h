#pragma once

// The attraction distribution from the definition of its process.

#include <testthat/vendor/catch.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "draws.h"
#include "prior/attraction.h"
#include "trees.h"

namespace test {

using buffet::Attraction;
using buffet::Bits;

/// Distances, the row at each position, and the temperature.
struct RawAttraction {
  Eigen::MatrixXd distance;
  std::vector<int> order;
  double temperature = 1;

  int rows() const { return static_cast<int>(order.size()); }

  /// The probability that the row at position n takes a dish that these rows have.
  double share(int n, const std::vector<char>& have) const {
    long double sum = 0, total = 0;
    for (int l = 0; l < n; ++l) {
      const long double s =
          std::exp(-static_cast<long double>(temperature) * distance(order[n], order[l]));
      total += s;
      if (have[order[l]]) sum += s;
    }
    return double(sum / total * n / (n + 1));
  }

  /// Rate of a column / alpha.
  double rate(const Bits& column) const {
    std::vector<char> have(rows(), 0);
    double p = 0;
    for (int n = 0; n < rows(); ++n) {
      const bool on = column.at(order[n]);
      if (p > 0) p *= on ? share(n, have) : 1 - share(n, have);
      if (p == 0 && on) p = 1.0 / (n + 1);
      have[order[n]] = on;
    }
    return p;
  }

  std::vector<double> rates() const {
    std::vector<double> all(std::size_t{1} << rows(), 0);
    for (std::size_t h = 1; h < all.size(); ++h)
      all[h] = rate(bits_of(rows(), static_cast<int>(h)));
    return all;
  }

  Features draw(double alpha, Rng& rng) const {
    std::vector<std::vector<char>> dishes;
    for (int n = 0; n < rows(); ++n) {
      for (auto& have : dishes) have[order[n]] = rng.bernoulli(share(n, have));
      for (int born = draw_poisson(alpha / (n + 1), rng); born > 0; --born) {
        dishes.emplace_back(rows(), 0);
        dishes.back()[order[n]] = 1;
      }
    }
    Features z(rows());
    for (const auto& have : dishes) {
      Bits column(rows());
      for (int i = 0; i < rows(); ++i)
        if (have[i]) column.set(i);
      z.add(column);
    }
    return z;
  }
};

/// Distances between random points in the plane, and a random order.
inline RawAttraction random_attraction(int rows, Rng& rng, double temperature = 1) {
  const Eigen::MatrixXd points = draw_normal(rows, 2, 1, rng);
  RawAttraction raw{Eigen::MatrixXd(rows, rows), {}, temperature};
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) raw.distance(i, j) = (points.row(i) - points.row(j)).norm();
  rng.permutation(rows, raw.order);
  return raw;
}

/// Three rows, the first and last of which are close.
inline RawAttraction three_rows(double temperature = 1) {
  Eigen::MatrixXd distance(3, 3);
  distance << 0, 1.4, 0.2, 1.4, 0, 1.1, 0.2, 1.1, 0;
  return {distance, {2, 0, 1}, temperature};
}

/// Parameters that are not fixed at their values in RawAttraction.
struct Learned {
  Hyper temperature = Hyper::fixed(1);
  bool order = false;
  int max_features = std::numeric_limits<int>::max();
};

inline Attraction attraction(const RawAttraction& raw, Hyper alpha, Learned learned = {}) {
  const Hyper t = learned.temperature.learned ? learned.temperature : Hyper::fixed(raw.temperature);
  return Attraction({std::make_shared<const Eigen::MatrixXd>(raw.distance), raw.order,
                     learned.order, alpha, t, learned.max_features});
}

/// The rates of all columns under a prior on three rows, averaged with these weights over
/// temperatures and orders.
struct MixedRates {
  std::vector<double> weights;
  std::vector<std::vector<double>> rates;

  MixedRates(RawAttraction raw, Learned learned) {
    std::vector<std::vector<int>> orders{raw.order};
    if (learned.order) orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const Hyper& h = learned.temperature;
    // The trapezoidal rule on the log scale.
    for (double log_t = -7; log_t < 4; log_t += 0.25) {
      if (h.learned) raw.temperature = std::exp(log_t);
      const double t = raw.temperature;
      const double weight = h.learned ? std::pow(t, h.shape) * std::exp(-h.rate * t) : 1;
      for (const auto& order : orders) {
        raw.order = order;
        weights.push_back(weight);
        rates.push_back(raw.rates());
      }
      if (!h.learned) break;
    }
  }

  /// Log probability of a class, up to a constant, given the counts of columns with each history.
  template <class Repeats>
  double log_class(double alpha, const Repeats& repeats) const {
    double sum = 0;
    for (std::size_t n = 0; n < weights.size(); ++n) {
      double p = weights[n];
      for (std::size_t h = 0; h < repeats.size(); ++h)
        for (int r = 1; r <= repeats[h]; ++r) p *= alpha * rates[n][h + 1] / r;
      sum += p;
    }
    return std::log(sum);
  }
};

/// Checks that odds based on the values that a chain's prior stores for columns equal odds computed
/// from scratch.
inline void check_follows(const Features& z, const Attraction& prior) {
  Attraction fresh = prior;
  fresh.follow(z);
  for (int k = 0; k < z.size(); ++k)
    for (int i = 0; i < z.rows(); ++i)
      if (z.count_without(i, k) > 0) CHECK(prior.log_odds(z, i, k) == fresh.log_odds(z, i, k));
}

}  // namespace test
