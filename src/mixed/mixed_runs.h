#pragma once

#include <vector>

#include "gibbs/any_run.h"
#include "likelihood/logistic_scales.h"
#include "mixed_data.h"
#include "prior/any.h"

namespace buffet {

/// Runs of chains for mixed columns. `data` must outlive the runs.
RunMaker mixed_runs(const AnyPrior& prior, const MixedData& data, const Families& families,
                    const LogisticScales& scales);

}  // namespace buffet
