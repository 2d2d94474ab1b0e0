#pragma once

#include <stdexcept>
#include <type_traits>
#include <variant>

#include "attraction.h"
#include "exchangeable.h"
#include "fixed.h"
#include "phylogenetic.h"

namespace buffet {

/// Any prior on features; visited once per fit.
using AnyPrior = std::variant<Exchangeable, Phylogenetic, Attraction, Fixed>;

/// Calls f only for priors with unknown features.
template <class F>
auto visit_unknown(const AnyPrior& prior, F f) {
  using Result = decltype(f(std::get<Exchangeable>(prior)));
  return std::visit(
      [&](const auto& of) -> Result {
        if constexpr (std::is_same_v<std::decay_t<decltype(of)>, Fixed>)
          throw std::invalid_argument("prior_fixed() is not for this likelihood");
        else
          return f(of);
      },
      prior);
}

}  // namespace buffet
