#pragma once

#include <vector>

#include "cascade_layer.h"
#include "core/byte_code.h"

namespace buffet {

/// Layers of a draw written by Cascade::bytes_kept(): the visible one without x, the hidden ones
/// with `rows` rows.
std::vector<CascadeLayer> read_cascade(ByteReader bytes, int rows);

}  // namespace buffet
