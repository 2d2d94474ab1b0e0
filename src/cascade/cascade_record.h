#pragma once

#include <vector>

#include "cascade_layer.h"
#include "core/byte_code.h"

namespace buffet {

/// Layers of a draw that Cascade::bytes_kept() has written, the visible one without x, the hidden
/// ones with those of `rows` rows.
std::vector<CascadeLayer> read_cascade(ByteReader bytes, int rows);

}  // namespace buffet
