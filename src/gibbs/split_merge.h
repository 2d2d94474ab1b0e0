#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/tally.h"
#include "halves.h"
#include "prior_factors.h"

namespace buffet {

/// The two halves of a feature.
struct Halves {
  Bits first, second;
};

/// Allocates the rows of a feature to two halves, one row after the other: each row joins the
/// first, the second or both with probability proportional to the current count of that state times
/// the predictive density of its residual given all other features, under a conjugate model of two
/// features. A merge needs the probability of given halves, so the allocation can also be forced.
template <class Model>
class Allocation {
 public:
  Allocation(const Bits& rows, Model model) : model_(std::move(model)) {
    rows.for_each([&](int i) { rows_.push_back(i); });
  }

  /// Draws the halves; returns the log probability of the draw. Call either this or log_prob(),
  /// once.
  double draw(Halves& halves, Rng& rng) {
    return run(rng, [&](int i, const std::array<double, 3>& log_weights) {
      const int s = draw_state(log_weights, rng);
      if (s != 1) halves.first.set(i);
      if (s != 0) halves.second.set(i);
      return s;
    });
  }

  /// Log probability of drawing these halves, with the rows in a new random order.
  double log_prob(const Halves& halves, Rng& rng) {
    return run(rng, [&](int i, const std::array<double, 3>&) {
      return halves.first.at(i) ? (halves.second.at(i) ? 2 : 0) : 1;
    });
  }

  /// The model of the halves, after the allocation.
  const Model& model() const { return model_; }

 private:
  /// States 0, 1, 2: first only, second only, both.
  template <class Choose>
  double run(Rng& rng, Choose choose) {
    rng.shuffle(rows_);
    std::array<int, 3> counts{};
    double log_q = 0;
    for (int i : rows_) {
      auto log_weights = model_.log_densities(i);
      for (int s = 0; s < 3; ++s) log_weights[s] += std::log(counts[s] + (s == 2 ? 0.5 : 1.0));
      normalise(log_weights);
      const int s = choose(i, log_weights);
      log_q += log_weights[s];
      model_.learn(s);
      ++counts[s];
    }
    return log_q;
  }

  static void normalise(std::array<double, 3>& w) {
    const double largest = std::max({w[0], w[1], w[2]});
    double total = 0;
    for (double v : w) total += std::exp(v - largest);
    for (double& v : w) v -= largest + std::log(total);
  }

  static int draw_state(const std::array<double, 3>& log_weights, Rng& rng) {
    const double u = rng.uniform();
    if (u < std::exp(log_weights[0])) return 0;
    return u < std::exp(log_weights[0]) + std::exp(log_weights[1]) ? 1 : 2;
  }

  Model model_;
  std::vector<int> rows_;
};

/// Proposed features, the values that the prior stores for them, and their statistics.
template <class Prior, class Statistics>
struct Proposal {
  Features z;
  Prior prior;
  Statistics statistics;

  double log_prior(std::initializer_list<int> columns) const {
    return log_prior_factors(prior, z, columns);
  }

  template <class Data>
  void replace(int k, Bits column, const Data& x) {
    z.replace(k, std::move(column));
    prior.replaced(z, k);
    statistics.set_column(k, z, x);
  }

  /// Replaces feature m by two halves; returns the log density of the prior's draw for them.
  template <class Data>
  double split(int m, const Halves& halves, const Data& x, Rng& rng) {
    replace(m, halves.first, x);
    z.add(halves.second);
    statistics.add_column(z, x);
    return prior.propose(z, z.size() - 1, rng);
  }

  /// Replaces features a and b by a OR b; returns its index.
  template <class Data>
  int merge(int a, int b, const Data& x) {
    Bits both = z.column(a);
    both |= z.column(b);
    const int m = a == z.size() - 1 ? b : a;
    z.replace(a, std::move(both));
    prior.replaced(z, a);
    z.drop(b);
    statistics.drop(b);
    statistics.set_column(m, z, x);
    return m;
  }
};

template <class Chain>
auto propose_from(const Chain& chain) {
  auto statistics = chain.likelihood.statistics();
  return Proposal<std::decay_t<decltype(chain.prior)>, decltype(statistics)>{chain.z, chain.prior,
                                                                             std::move(statistics)};
}

template <class Likelihood>
double current_log_lik(const Likelihood& likelihood) {
  return likelihood.log_lik(likelihood.statistics());
}

/// Accepts or rejects proposed columns, with all loadings integrated out. log_ratio: log ratio of
/// the priors, plus the log ratio of the probabilities of choosing the reverse and forward moves.
template <class Chain, class Columns>
bool accept_columns(Chain& chain, Columns& to, double log_ratio) {
  auto& likelihood = chain.likelihood;
  const double log_accept =
      likelihood.log_lik(to.statistics) - current_log_lik(likelihood) + log_ratio;
  if (!(std::log(chain.rng.uniform()) < log_accept)) return false;
  chain.z = std::move(to.z);
  chain.prior = std::move(to.prior);
  likelihood.accept(std::move(to.statistics));
  return true;
}

/// Splits a uniformly drawn feature; the reverse is the merge of its halves. If no more features
/// are allowed, it is rejected at once, because the prior would reject it in any case.
template <class Chain>
bool split(Chain& chain) {
  const auto& z = chain.z;
  const auto& likelihood = chain.likelihood;
  if (z.size() < 1 || z.size() >= chain.prior.most_features()) return false;
  const int m = chain.rng.below(z.size());
  Halves halves{Bits(z.rows()), Bits(z.rows())};
  double log_q = Allocation(z.column(m), halves_of(m, z, likelihood)).draw(halves, chain.rng);
  if (halves.first.count() == 0 || halves.second.count() == 0) return false;
  auto proposal = propose_from(chain);
  log_q += proposal.split(m, halves, likelihood.completed(), chain.rng);
  const double log_prior =
      proposal.log_prior({m, z.size()}) - log_prior_factors(chain.prior, z, {m});
  return accept_columns(chain, proposal, log_prior - log_q);
}

/// Two different features, drawn uniformly.
inline std::pair<int, int> draw_pair(int size, Rng& rng) {
  const int a = rng.below(size), b = rng.below(size - 1);
  return {a, b >= a ? b + 1 : b};
}

/// Merges a uniformly drawn pair; the reverse is the split that would draw it.
template <class Chain>
bool merge(Chain& chain) {
  auto& z = chain.z;
  auto& likelihood = chain.likelihood;
  if (z.size() < 2) return false;
  const auto [a, b] = draw_pair(z.size(), chain.rng);
  const Halves halves{z.column(a), z.column(b)};
  auto proposal = propose_from(chain);
  const int m = proposal.merge(a, b, likelihood.completed());
  auto merged = likelihood;
  merged.accept(std::move(proposal.statistics));
  Allocation allocation(proposal.z.column(m), halves_of(m, proposal.z, merged));
  const double log_q = allocation.log_prob(halves, chain.rng) + chain.prior.log_proposed(z, b);
  const double log_prior = proposal.log_prior({m}) - log_prior_factors(chain.prior, z, {a, b});
  const double log_accept =
      current_log_lik(merged) - current_log_lik(likelihood) + log_prior + log_q;
  if (!(std::log(chain.rng.uniform()) < log_accept)) return false;
  z = std::move(proposal.z);
  chain.prior = std::move(proposal.prior);
  likelihood = std::move(merged);
  return true;
}

/// Three splits or merges per sweep, or one if there are many rows, with probability 1/2 each. A
/// proposal is rejected if there are too few features for it.
struct SplitMerge {
  static constexpr const char* name = "split-merge";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check = no_check) {
    return tally_of(chain.z.rows() <= 300 ? 3 : 1, check,
                    [&] { return chain.rng.bernoulli(0.5) ? split(chain) : merge(chain); });
  }
};

}  // namespace buffet
