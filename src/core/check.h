#pragma once

#include <functional>

namespace buffet {

/// Called regularly during long computations; may throw, which leaves the state unusable.
using Check = std::function<void()>;

/// A check that never interrupts.
inline void no_check() {}

}  // namespace buffet
