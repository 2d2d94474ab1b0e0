#pragma once

#include <cstdint>
#include <utility>

#include "core/features.h"
#include "likelihood/gaussian_masks.h"
#include "likelihood/gaussian_rows.h"

namespace buffet {

/// The data of an ascent: what all its states share.
struct AscentData : GaussianRows {
  Masks masks;

  AscentData(Source source_, int columns_, Team& team_ = Solo::instance())
      : AscentData(Masks(source_.rows(), columns_), source_, columns_, team_) {}

 private:
  AscentData(Masks own, Source& source_, int columns_, Team& team_);
};

/// Where an ascent starts.
struct AscentStart {
  Features features;  ///< none: the ascent has starts of its own
  std::uint64_t seed;
  double tau_x, tau_a;  ///< where precisions that are learned start, or NaN
};

}  // namespace buffet
