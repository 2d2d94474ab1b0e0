#pragma once

#include <string>
#include <vector>

#include "core/check.h"
#include "core/tally.h"

namespace buffet {

/// Moves of whole features, in the order of a sweep. Each is a struct with a name and
/// `Tally run(chain, check)`.
template <class... Move>
struct MoveList {
  static std::vector<std::string> names() { return {Move::name...}; }

  template <class Chain>
  static Tallies run([[maybe_unused]] Chain& chain, [[maybe_unused]] const Check& check) {
    return {Move::run(chain, check)...};
  }
};

/// Moves of a chain with its collapsed() likelihood, which run after integrate_out().
template <class... Move>
struct IntegratedOut : MoveList<Move...> {};

/// Moves given augment(), which turns the columns of the data into normal regressions on Z with
/// their weights integrated out.
template <class... Move>
struct GivenRegressions : MoveList<Move...> {};

/// Likelihoods have no moves unless another overload lists them.
MoveList<> moves_of(...);

}  // namespace buffet
