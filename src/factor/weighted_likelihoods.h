#pragma once

#include <stdexcept>

#include "weights_jointly.h"
#include "weights_singly.h"

namespace buffet {

enum class WeightLaw { normal, nonnegative, laplace, counts };

template <class Likelihood>
struct LikelihoodType {
  using Type = Likelihood;
};

/// Calls f with the LikelihoodType of a law of weights.
template <class F>
auto visit_law(WeightLaw law, F f) {
  switch (law) {
    case WeightLaw::normal:
      return f(LikelihoodType<WeightsJointly>{});
    case WeightLaw::nonnegative:
      return f(LikelihoodType<WeightsSingly<NonnegativeWeight>>{});
    case WeightLaw::laplace:
      return f(LikelihoodType<LaplaceFeatures>{});
    case WeightLaw::counts:
      return f(LikelihoodType<WeightsSingly<CountWeight>>{});
  }
  throw std::invalid_argument("unknown law of weights");
}

}  // namespace buffet
