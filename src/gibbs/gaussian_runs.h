#pragma once

#include "any_run.h"
#include "gaussian/gaussian_data.h"
#include "gaussian/gaussian_scales.h"
#include "prior/any.h"
#include "regression/gaussian_column_noise.h"

/// Runs of chains for linear-Gaussian models. `data` must outlive the runs.

namespace buffet {

enum class GaussianSampler { collapsed, uncollapsed, slice };

RunMaker normal_runs(const AnyPrior& prior, const GaussianData& data, const Precisions& sigma,
                     GaussianSampler sampler);
RunMaker nonnegative_runs(const AnyPrior& prior, const GaussianData& data, const Precisions& sigma,
                          GaussianSampler sampler);
RunMaker column_noise_runs(const AnyPrior& prior, const GaussianColumnNoise& likelihood);

}  // namespace buffet
