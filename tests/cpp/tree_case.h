#pragma once

// The phylogenetic prior from the definition of its process, and its parts computed numerically.

#include <testthat/vendor/catch.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "draws.h"
#include "prior/phylogenetic.h"
#include "quadrature.h"
#include "trees.h"

namespace test {

using buffet::Phylogenetic;
using buffet::TreeTables;
using Rates = buffet::TreeTables::Rates;

/// Integral of f(pi) P(column | pi) / pi over pi, computed piecewise in the rate.
template <class F>
long double integral_over_rates(const RawTree& raw, const Bits& column, F f) {
  const auto g = [&](long double gamma) {
    const long double pi = -std::expm1(-gamma);
    return f(pi) * brute_force(raw, column, gamma) * std::exp(-gamma) / pi;
  };
  return integral(g, 0, 12, 12) + integral(g, 12, 60, 12);
}
inline long double integral_over_rates(const RawTree& raw, const Bits& column) {
  return integral_over_rates(raw, column, [](long double) { return 1.0L; });
}

/// The rate of each column / alpha, indexed by its bits as a binary number; 0 for the empty column.
inline std::vector<double> column_rates(const RawTree& raw) {
  std::vector<double> rates(std::size_t{1} << raw.rows, 0);
  for (std::size_t h = 1; h < rates.size(); ++h)
    rates[h] = double(integral_over_rates(raw, bits_of(raw.rows, static_cast<int>(h))));
  return rates;
}

inline Phylogenetic phylogenetic(const RawTree& raw, Hyper alpha, Rates rates,
                                 int max_features = std::numeric_limits<int>::max()) {
  return Phylogenetic(std::make_shared<TreeTables>(raw.tree(), rates), alpha, max_features);
}

/// The whole state of the prior, with rates ordered by the tags of features.
struct TreeState {
  double alpha = 1;
  std::vector<double> log_rates;

  template <class Archive>
  void archive(Archive& a) {
    a(alpha);
    a(log_rates);
  }
};

inline TreeState state_of(Phylogenetic prior) {
  TreeState state;
  const auto bytes = buffet::to_bytes(prior);
  if (bytes.size() > sizeof(double))
    buffet::from_bytes(bytes, state);
  else
    state.alpha = prior.alpha();
  return state;
}

/// Reads a state whose rates, if any, are for the features of z in their order.
inline void set_state(Phylogenetic& prior, const Features& z, double alpha,
                      const std::vector<double>& log_rates) {
  TreeState state{alpha, std::vector<double>(z.tags(), 0)};
  for (std::size_t k = 0; k < log_rates.size(); ++k)
    state.log_rates[z.tag(static_cast<int>(k))] = log_rates[k];
  const auto bytes = buffet::to_bytes(state);
  buffet::Archive archive(bytes);
  archive(prior);  // leaves the rates out if the prior has none
  prior.follow(z);
}

/// Log rates of the features of z in their order.
inline std::vector<double> log_rates_of(const Phylogenetic& prior, const Features& z) {
  const TreeState state = state_of(prior);
  std::vector<double> log_rates;
  for (int k = 0; k < z.size() && !state.log_rates.empty(); ++k)
    log_rates.push_back(state.log_rates[z.tag(k)]);
  return log_rates;
}

/// Compares the values that the prior of a chain stores for columns with the values that `told`
/// computes from the matrix.
template <class Chain>
void check_follows(const Chain& chain, Phylogenetic told, double alpha) {
  const Features& z = chain.z;
  set_state(told, z, alpha, log_rates_of(chain.prior, z));
  for (int k = 0; k < z.size(); ++k)
    for (int i = 0; i < z.rows(); ++i)
      if (z.count_without(i, k) > 0)
        CHECK(chain.prior.log_odds(z, i, k) == Approx(told.log_odds(z, i, k)).epsilon(1e-9));
}

/// Draws features, with their log rates, by the process that defines them.
class TreeProcess {
 public:
  explicit TreeProcess(RawTree raw) : raw_(std::move(raw)), total_(raw_.total()) {
    order_ = raw_.downwards();
    const auto f = [&](long double gamma) {
      return std::expm1(-gamma * total_) / std::expm1(-gamma) * std::exp(-gamma);
    };
    features_ = double(integral(f, 0, 60, 40));
  }

  const RawTree& raw() const { return raw_; }
  /// E[K+] / alpha.
  double features() const { return features_; }

  Features draw(double alpha, Rng& rng, std::vector<double>& log_rates) const {
    Features z(raw_.rows);
    log_rates.clear();
    for (int n = draw_poisson(alpha * features_, rng); n > 0; --n) {
      const double gamma = draw_gamma(rng);
      z.add(draw_column(gamma, rng));
      log_rates.push_back(std::log(gamma));
    }
    return z;
  }

 private:
  /// pi has density proportional to (1 - q^T) / pi, which is at most T if T >= 1.
  double draw_gamma(Rng& rng) const {
    for (;;) {
      const double gamma = -std::log(rng.uniform());
      if (rng.uniform() * total_ < std::expm1(-gamma * total_) / std::expm1(-gamma)) return gamma;
    }
  }

  /// Draws edge by edge from the root, conditional on a change on one of the edges.
  Bits draw_column(double gamma, Rng& rng) const {
    std::vector<char> on(raw_.size(), 0);
    double rest = total_;
    bool happened = false;
    for (int v : order_) {
      const int p = raw_.parents[v];
      const double turns = std::expm1(-gamma * raw_.lengths[v]);
      if (p >= 0 && on[p])
        on[v] = 1;
      else
        on[v] = rng.bernoulli(happened ? -turns : turns / std::expm1(-gamma * rest));
      happened = happened || on[v];
      rest -= raw_.lengths[v];
    }
    Bits column(raw_.rows);
    for (int i = 0; i < raw_.rows; ++i)
      if (on[i]) column.set(i);
    return column;
  }

  RawTree raw_;
  double total_, features_;
  std::vector<int> order_;
};

}  // namespace test
