#pragma once

#include <variant>

#include "exchangeable.h"
#include "fixed.h"
#include "phylogenetic.h"

namespace buffet {

/// Every prior on features; visited once a fit.
using AnyPrior = std::variant<Exchangeable, Phylogenetic, Fixed>;

}  // namespace buffet
