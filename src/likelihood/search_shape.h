#pragma once

namespace buffet {

/// How a likelihood has starts searched for, where the warm-up has room for it.
struct SearchShape {
  int starts, sweeps_each, sweeps_best;
  double density;  ///< of the one feature that a start begins with
};

}  // namespace buffet
