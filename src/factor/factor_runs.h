#pragma once

#include "factor_noise.h"
#include "gibbs/any_run.h"
#include "likelihood/gaussian_data.h"
#include "prior/any.h"
#include "weighted_likelihoods.h"

/// Runs of chains of weighted features. `data` must outlive what is made.

namespace buffet {

RunMaker factor_runs(const AnyPrior& prior, const GaussianData& data, const FactorNoise& noise,
                     const LoadingScales& scales, WeightLaw law);

}  // namespace buffet
