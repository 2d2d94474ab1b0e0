#pragma once

#include <variant>

#include "exchangeable.h"

namespace buffet {

/// Every prior on features; visited once a fit.
using AnyPrior = std::variant<Exchangeable>;

}  // namespace buffet
