#include "ascent_data.h"

namespace buffet {

AscentData::AscentData(Source source_, int columns_, Team& team_)
    : GaussianRows(std::move(source_), columns_, team_), masks(own_rows(), columns_) {
  source.for_each([&](const RowBlock& b) { masks.add(b.x, b.from, b.count); });
  masks.finish();
  masks.agree(team);
}

}  // namespace buffet
