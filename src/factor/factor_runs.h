#pragma once

#include <vector>

#include "factor_noise.h"
#include "family_factors.h"
#include "gaussian/gaussian_data.h"
#include "gibbs/any_run.h"
#include "prior/any.h"
#include "weighted_likelihoods.h"

/// Runs of chains with weighted features. `data` must outlive the runs.

namespace buffet {

/// Weighted features of data: the noise, the scales of loadings, the law of the weights, and the
/// rows of the data that have families (for normal weights only).
struct FactorSpec {
  FactorNoise noise;
  LoadingScales scales;
  WeightLaw law;
  std::vector<FamilyRows> families = {};
};

RunMaker factor_runs(const AnyPrior& prior, const GaussianData& data, const FactorSpec& spec);

}  // namespace buffet
