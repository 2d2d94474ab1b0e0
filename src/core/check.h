#pragma once

#include <functional>

namespace buffet {

/// Called now and then during long work; may throw, which leaves the state unusable.
using Check = std::function<void()>;

}  // namespace buffet
