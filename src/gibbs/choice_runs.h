#pragma once

#include "any_run.h"
#include "likelihood/choice.h"
#include "prior/any.h"

namespace buffet {

/// Runs of chains for choice models.
RunMaker choice_runs(const AnyPrior& prior, const Choice& likelihood);

}  // namespace buffet
