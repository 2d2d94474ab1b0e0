#include "factor_runs.h"

#include <stdexcept>

#include "gibbs/maker.h"
#include "weights_jointly.h"
#include "weights_singly.h"

namespace buffet {

RunMaker factor_runs(const AnyPrior& prior, const GaussianData& data, const FactorNoise& noise,
                     const Hyper& a, WeightLaw law) {
  constexpr double density = 0.5;
  return visit_unknown(prior, [&](const auto& of) -> RunMaker {
    switch (law) {
      case WeightLaw::normal:
        return maker_of(of, WeightsJointly(data, noise, a), density);
      case WeightLaw::nonnegative:
        return maker_of(of, WeightsSingly<NonnegativeWeight>(data, noise, a), density);
      case WeightLaw::laplace:
        return maker_of(of, WeightsSingly<LaplaceWeight>(data, noise, a), density);
      case WeightLaw::counts:
        return maker_of(of, WeightsSingly<CountWeight>(data, noise, a), density);
    }
    throw std::invalid_argument("unknown law of weights");
  });
}

}  // namespace buffet
