#pragma once

#include <string>
#include <vector>

#include "cascade_activations.h"
#include "cascade_births.h"
#include "cascade_density.h"
#include "cascade_parameters.h"
#include "cascade_parents.h"
#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// A chain of the cascading Indian buffet process belief network (Adams, Wallach & Ghahramani
/// 2010). Its features are the edges from the visible units, its rows, to those of layer 1.
struct CascadeChain {
  static constexpr bool searches = false;

  Features z;
  Cascade likelihood;
  Rng rng;

  CascadeChain(const CascadeData& data, const CascadeModel& model, Rng rng_);

  /// `check` is called again and again: it may throw.
  void sweep(const Check& check);

  std::vector<double> scalars() const { return CascadeDensity(likelihood).scalars(); }
  std::vector<std::string> scalar_names() const { return CascadeDensity::names(likelihood.model); }

  void archive(Archive& a) {
    a(likelihood);
    a(rng);
    set_features();
  }

 private:
  void draw_missing();

  void set_features();
};

}  // namespace buffet
