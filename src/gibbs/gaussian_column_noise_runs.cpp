#include "gaussian_runs.h"
#include "maker.h"

namespace buffet {

RunMaker column_noise_runs(const AnyPrior& prior, const GaussianColumnNoise& likelihood) {
  constexpr double density = GaussianColumnNoise::search_shape.density;
  return visit_unknown(prior, [&](const auto& of) { return maker_of(of, likelihood, density); });
}

}  // namespace buffet
