#include "gaussian_runs.h"

#include <stdexcept>
#include <type_traits>
#include <variant>

#include "gaussian/gaussian_collapsed.h"
#include "gaussian/gaussian_nonnegative.h"
#include "gaussian/gaussian_uncollapsed.h"
#include "maker.h"
#include "prior/sticks.h"

namespace buffet {

namespace {

constexpr double density = GaussianMarginal::search_shape.density;

RunMaker collapsed_runs(const AnyPrior& prior, const GaussianCollapsed& likelihood) {
  return visit_unknown(prior, [&](const auto& of) { return maker_of(of, likelihood, density); });
}

/// Makes the run for a likelihood with loadings in the state; sampling with sticks requires an
/// exchangeable prior.
template <class Likelihood>
RunMaker explicit_runs(const AnyPrior& prior, const Likelihood& likelihood, bool slice) {
  if (!slice)
    return visit_unknown(prior, [&](const auto& of) { return maker_of(of, likelihood, density); });
  const auto* exchangeable = std::get_if<Exchangeable>(&prior);
  if (!exchangeable) throw std::invalid_argument("slice sampling is for exchangeable priors");
  const Sticks sticks(likelihood.data().rows(), exchangeable->spec());
  return maker_of(sticks, likelihood, density);
}

}  // namespace

RunMaker normal_runs(const AnyPrior& prior, const GaussianData& data, const Precisions& sigma,
                     GaussianSampler sampler) {
  if (sampler == GaussianSampler::collapsed)
    return collapsed_runs(prior, GaussianCollapsed(data, sigma));
  return explicit_runs(prior, GaussianUncollapsed(data, sigma), sampler == GaussianSampler::slice);
}

RunMaker nonnegative_runs(const AnyPrior& prior, const GaussianData& data, const Precisions& sigma,
                          GaussianSampler sampler) {
  if (sampler == GaussianSampler::collapsed)
    throw std::invalid_argument("nonnegative loadings cannot be integrated out");
  return explicit_runs(prior, GaussianNonnegative(data, sigma), sampler == GaussianSampler::slice);
}

RunMaker column_noise_runs(const AnyPrior& prior, const GaussianColumnNoise& likelihood) {
  constexpr double density = GaussianColumnNoise::search_shape.density;
  return visit_unknown(prior, [&](const auto& of) { return maker_of(of, likelihood, density); });
}

}  // namespace buffet
