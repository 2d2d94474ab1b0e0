#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "effective.h"
#include "gibbs/copies.h"
#include "gibbs/exchange.h"
#include "gibbs/gibbs.h"
#include "likelihood/choice.h"
#include "measure.h"

namespace bench {

/// The moves in a sweep of choices other than the visits to bits.
struct Moves {
  bool trajectory = true, each = true, total = true;  ///< moves of the weights
  bool own_step = true, own_count = true;  ///< moves of a row's singletons, in addition to
                                           ///< redrawing all of them
  bool exchange = true, copies = true, held_by_all = true;  ///< moves of whole features
};

/// A chain of choices in which some moves are omitted.
class PartialChoice : public buffet::Choice {
 public:
  Moves moves;
  int tried = 0, accepted = 0;  ///< numbers of trajectories

  PartialChoice(Choice choice, Moves moves_) : Choice(std::move(choice)), moves(moves_) {}

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, buffet::Rng& rng) {
    buffet::Copies own{static_cast<int>(own_.size()), own_weight()};
    sums_.add_own(row_, {-own.weight, -own.count});
    const auto log_lik = [&](double weight) { return sums_.log_lik_with(row_, weight); };
    own = prior_.choose(own, log_prior_ratio, log_lik, rng);
    if (own.count > 0) {
      if (moves.own_step) own.weight = prior_.step_sum(own, log_lik, rng);
      if (moves.own_count) own.count = prior_.draw_count(own.weight, log_prior_ratio, rng);
    }
    sums_.add_own(row_, {own.weight, own.count});
    sums_.set_terms(row_);
    prior_.split(own, rng, drawn_);
    return own.count;
  }

  void update(const buffet::Features& z, buffet::Rng& rng) {
    sums_.set(z, weights_);
    if (moves.trajectory && !weights_.empty()) {
      const double before = weights_[0];
      move_all(z, rng);
      ++tried;
      accepted += weights_[0] != before;
    }
    if (moves.each) move_each(z, rng);
    if (moves.total) scale(rng);
  }

  /// The moves for the first of two items.
  double probability(const buffet::Features& z, int i, int j) const {
    double a = 0, b = 0;
    for (int k = 0; k < z.size(); ++k)
      if (z.at(i, k) != z.at(j, k)) (z.at(i, k) ? a : b) += weights_[k];
    return rule_.probability(a, b);
  }
};

/// Like Gibbs, except that moves can be omitted.
template <class Prior>
struct ChoiceChain {
  buffet::Features z;
  Prior prior;
  PartialChoice likelihood;
  buffet::Rng rng;

  /// Starts from one feature per item if features are unknown.
  ChoiceChain(const Prior& prior_, PartialChoice likelihood_, buffet::Features z_, int stream)
      : z(std::move(z_)), prior(prior_), likelihood(std::move(likelihood_)), rng(1, stream) {
    prior.reset(z, rng);
    likelihood.reset(z);
    for (int n = 0; n < 200; ++n) likelihood.update(z, rng);
  }

  void sweep() {
    if constexpr (!std::is_same_v<Prior, buffet::Fixed>) {
      for (int i = 0; i < z.rows(); ++i) buffet::sweep_row(i, *this);
      const Moves& moves = likelihood.moves;
      using namespace buffet;
      if (moves.exchange) ExchangeOwn::run(*this);
      if (moves.copies) RedrawCopies::run(*this);
      if (moves.held_by_all && prior.counts_copies()) RedrawHeldByAll::run(*this);
    }
    prior.update(z, rng);
    likelihood.update(z, rng);
  }
};

inline buffet::Features one_feature_each(int items) {
  buffet::Features z(items);
  for (int i = 0; i < items; ++i) z.add_own(i);
  return z;
}

/// How well a chain mixes: effective draws per sweep, and the time per sweep.
struct Mixing {
  double seconds, accepted, features, size, ones, least_pair, mean_pair;
};

/// Runs a chain and records every other state.
template <class Chain>
Mixing mixing_of(Chain chain, int sweeps) {
  for (int n = 0; n < sweeps / 10; ++n) chain.sweep();
  Mixing out{};
  const int timed = sweeps / 10;
  out.seconds = seconds_of([&] { chain.sweep(); }, timed);
  chain.likelihood.tried = chain.likelihood.accepted = 0;
  std::vector<double> size, ones;
  std::vector<std::vector<double>> pairs;
  for (int n = 0; n < sweeps; ++n) {
    chain.sweep();
    if (n % 2 == 1) continue;
    size.push_back(chain.z.size());
    ones.push_back(chain.z.total());
    std::size_t at = 0;
    for (int i = 0; i < chain.z.rows(); ++i)
      for (int j = 0; j < i; ++j, ++at) {
        if (at == pairs.size()) pairs.emplace_back();
        pairs[at].push_back(chain.likelihood.probability(chain.z, i, j));
      }
  }
  for (double k : size) out.features += k / size.size();
  out.accepted = double(chain.likelihood.accepted) / std::max(1, chain.likelihood.tried);
  out.size = effective_draws(size) / sweeps;
  out.ones = effective_draws(ones) / sweeps;
  out.least_pair = 1e300;
  for (const auto& pair : pairs) {
    const double effective = effective_draws(pair) / sweeps;
    out.least_pair = std::min(out.least_pair, effective);
    out.mean_pair += effective / pairs.size();
  }
  return out;
}

}  // namespace bench
