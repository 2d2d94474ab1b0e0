#include "factor_runs.h"

#include "gibbs/maker.h"

namespace buffet {

RunMaker factor_runs(const AnyPrior& prior, const GaussianData& data, const FactorSpec& spec) {
  constexpr double density = 0.5;
  return visit_unknown(prior, [&](const auto& of) -> RunMaker {
    if (!spec.families.empty())
      return maker_of(of, FamilyFactors(data, spec.noise, spec.scales, spec.families), density);
    return visit_law(spec.law, [&](auto type) -> RunMaker {
      using Likelihood = typename decltype(type)::Type;
      return maker_of(of, Likelihood(data, spec.noise, spec.scales), density);
    });
  });
}

}  // namespace buffet
