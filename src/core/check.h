#pragma once

#include <functional>

namespace buffet {

/// Called now and then during long work; may throw, which leaves the state unusable.
using Check = std::function<void()>;

/// Lets work continue to its end.
inline void no_check() {}

}  // namespace buffet
