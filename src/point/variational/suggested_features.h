#pragma once

#include <numeric>
#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "gaussian/gaussian_data.h"
#include "gaussian/independent_components.h"
#include "point/factor/ascent_data.h"

namespace buffet {

/// True if data are small enough to be analysed as a whole, which cannot be interrupted and takes a
/// second or two. If entries are missing, there are nine rounds instead of one.
inline bool within_reach(double rows, double columns, bool complete) {
  return rows * columns <= (complete ? 1e7 : 1e6);
}

/// At most `most` features, suggested by data in memory.
inline Features suggested_by(const GaussianData& data, int most, Rng& rng) {
  if (!within_reach(data.rows(), data.columns(), data.complete())) return Features(data.rows());
  Completed x(data);
  Features z = independent_components(x, rng, most);
  while (z.size() > most) z.drop(z.size() - 1);
  return z;
}

/// Features suggested by the data, up to this many. There are none if the data have too many
/// entries or no component exceeds the noise. The result does not depend on whether the data come
/// in blocks.
inline Features suggested_features(const AscentData& data, int most, Rng rng) {
  Features z(data.rows());
  if (!within_reach(data.rows(), data.columns, true)) return z;
  std::vector<int> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return suggested_by(some_rows(data, rows), most, rng);
}

}  // namespace buffet
