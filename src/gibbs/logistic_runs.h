#pragma once

#include "any_run.h"
#include "likelihood/binary_data.h"
#include "likelihood/logistic_scales.h"
#include "prior/any.h"

namespace buffet {

enum class LogisticSampler { uncollapsed, neal };

/// Runs of chains for logistic models. `data` must outlive the runs.
RunMaker logistic_runs(const AnyPrior& prior, const BinaryData& data, const LogisticScales& scales,
                       LogisticSampler sampler);

}  // namespace buffet
