#pragma once

#include <memory>

#include "gibbs/maker.h"
#include "shared_gibbs.h"

namespace buffet {

/// Number of rows used to search for a start: enough to find the features that matter.
constexpr int searched_rows = 2000;

/// Runs of chains whose rows are divided among the workers of a cluster. `data` must outlive the
/// runs.
template <class Loadings>
RunMaker shared_runs(const Exchangeable::Spec& prior, const GaussianRows& data,
                     const Precisions& precisions) {
  using Chain = SharedGibbs<Loadings>;
  const Chain chain(data, SomeRows::of(data, searched_rows), {data.rows(), prior},
                    {data, precisions});
  return [chain](const Start& from, Rng rng, const Plan& plan, const Check&) {
    Chain begun = chain;
    begun.rng = std::move(rng);
    begun.start(from);
    return run_of(std::move(begun), plan);
  };
}

}  // namespace buffet
