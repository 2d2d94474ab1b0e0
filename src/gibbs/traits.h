#pragma once

#include <type_traits>
#include <utility>

#include "core/rng.h"

/// What likelihoods have or have not.

namespace buffet {

/// Does a likelihood know features that its data suggest?
template <class Likelihood, class = void>
struct Suggests : std::false_type {};
template <class Likelihood>
struct Suggests<Likelihood,
                std::void_t<decltype(std::declval<Likelihood&>().suggest(std::declval<Rng&>()))>>
    : std::true_type {};

/// Are rows visited given the loadings before all else? Otherwise where the likelihood's moves do.
template <class Likelihood, class = void>
struct VisitsRows : std::true_type {};
template <class Likelihood>
struct VisitsRows<Likelihood, std::enable_if_t<!Likelihood::visits_rows>> : std::false_type {};

}  // namespace buffet
