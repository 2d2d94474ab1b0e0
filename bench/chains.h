#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "gaussian/gaussian_collapsed.h"
#include "gibbs/gibbs.h"
#include "gibbs/warmup.h"
#include "measure.h"
#include "prior/exchangeable.h"
#include "workloads.h"

namespace bench {

using Chain = buffet::Gibbs<buffet::Exchangeable, buffet::GaussianCollapsed>;

/// Learned: Gamma(1, 1) priors on both precisions. Fixed: sigma_x equal to the truth, sigma_a = 1.
enum class Sigma { fixed, learned };

/// A chain that starts from these features, with alpha ~ Gamma(1, 1). Chains differ by their random
/// number streams.
inline Chain chain_at(buffet::Features z, const buffet::GaussianData& data, Sigma sigma,
                      buffet::Rng rng) {
  const bool learned = sigma == Sigma::learned;
  const buffet::Hyper tau_x{1 / (sigma_x * sigma_x), learned, 1, 1}, tau_a{1, learned, 1, 1};
  return Chain(std::move(z), buffet::Exchangeable(data.rows(), {buffet::Hyper::gamma(1, 1)}),
               buffet::GaussianCollapsed(data, {tau_x, tau_a}), rng);
}

inline void sweep(Chain& chain, int sweeps) {
  for (int n = 0; n < sweeps; ++n) chain.sweep();
}

/// A data set, and a chain that has made 100 sweeps from the truth, so its state is a posterior
/// draw.
struct SettledChain {
  buffet::Features truth;
  buffet::GaussianData data;
  Chain chain;

  explicit SettledChain(const Workload& w) : SettledChain(generate(w, 1)) {}
  explicit SettledChain(DataSet set)
      : truth(std::move(set.z)),
        data(std::move(set.x)),
        chain(chain_at(truth, data, Sigma::learned, buffet::Rng(1))) {
    sweep(chain, 100);
  }
  SettledChain(const SettledChain&) = delete;
};

/// The log joint of Z with labelled columns and alpha integrated out, at the best of 100 draws of
/// the learned precisions given Z. This number depends only on Z.
inline double score_of(const buffet::Features& z, Chain chain) {
  chain = chain_at(z, chain.likelihood.data(),
                   chain.likelihood.precisions().x.learned ? Sigma::learned : Sigma::fixed,
                   buffet::Rng(1));
  double best = chain.score();
  for (int n = 0; n < 100; ++n) {
    chain.likelihood.update(chain.z, chain.rng);
    best = std::max(best, chain.score());
  }
  return best;
}

/// One data set and two chains: one after a warm-up with default settings from a random start, and
/// one that has made 150 sweeps from the truth.
struct Trial {
  buffet::Features truth;
  buffet::GaussianData data;
  Chain found, from_truth;
  double seconds = 0;  ///< duration of the warm-up

  Trial(const Workload& w, Sigma sigma, std::uint64_t number)
      : Trial(generate(w, number), sigma, number) {}
  Trial(DataSet set, Sigma sigma, std::uint64_t number)
      : truth(std::move(set.z)),
        data(std::move(set.x)),
        found(chain_at(truth, data, sigma, buffet::Rng(number, 0))),
        from_truth(chain_at(truth, data, sigma, buffet::Rng(number, 1))) {
    seconds = seconds_of([&] {
      constexpr auto shape = buffet::GaussianCollapsed::search_shape;
      buffet::Search<Chain> search(found, buffet::SearchPlan::within(1000, shape));
      for (int n = 0; n < search.total(); ++n) search.step(n, [] {});
      found.adopt(search.chain());
    });
    sweep(from_truth, 150);
  }
  Trial(const Trial&) = delete;
};

}  // namespace bench
