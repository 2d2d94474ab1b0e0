#include "ascent_data.h"

namespace buffet {

AscentData::AscentData(Masks own, Source& source_, int columns_, Team& team_)
    : GaussianRows(std::move(source_), columns_, team_,
                   [&](const RowBlock& b) { own.add(b.x, b.from, b.count); }),
      masks(std::move(own)) {
  masks.finish();
  masks.agree(team);
}

}  // namespace buffet
