#pragma once

#include <memory>
#include <utility>

#include "gibbs.h"
#include "run.h"

namespace buffet {

/// A chain with this prior and likelihood, before its initial state is set.
template <class Prior, class Likelihood>
Gibbs<Prior, Likelihood> chain_of(const Prior& prior, const Likelihood& likelihood, Rng rng) {
  Gibbs<Prior, Likelihood> chain(Features(likelihood.data().rows()), prior, likelihood, Rng(0));
  chain.rng = std::move(rng);
  return chain;
}

template <class Chain>
std::unique_ptr<AnyRun> run_of(Chain chain, const Plan& plan) {
  return std::make_unique<Run<Chain>>(std::move(chain), plan);
}

/// Runs of chains with this prior and likelihood. Unless the plan or the likelihood provides a
/// start, they start from one random feature, which each row has with probability `density`.
template <class Prior, class Likelihood>
RunMaker maker_of(const Prior& prior, const Likelihood& likelihood, double density) {
  return [=](const Start& from, Rng rng, const Plan& plan, const Check&) {
    auto chain = chain_of(prior, likelihood, std::move(rng));
    start(chain, from, density, plan.bare);
    return run_of(std::move(chain), plan);
  };
}

}  // namespace buffet
