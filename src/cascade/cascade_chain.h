#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cascade_activations.h"
#include "cascade_births.h"
#include "cascade_density.h"
#include "cascade_parameters.h"
#include "cascade_parents.h"
#include "core/features.h"

namespace buffet {

/// A chain of the cascading Indian buffet process belief network (Adams, Wallach & Ghahramani
/// 2010). Its features are the edges from the visible units, its rows, to those of layer 1.
struct CascadeChain {
  static constexpr bool searches = false;

  Features z;
  Cascade likelihood;
  Rng rng;

  CascadeChain(const CascadeData& data, const CascadeModel& model, Rng rng_)
      : z(static_cast<int>(data.x.cols())), likelihood(data, model), rng(std::move(rng_)) {}

  /// `check` is called again and again: it may throw.
  template <class Check>
  void sweep(Check check) {
    draw_missing();
    CascadeBirths births(likelihood, rng);
    CascadeActivations activations(likelihood, rng);
    for (int m = 0; m <= likelihood.depth(); ++m) {
      births.visit_layer(m, check);
      CascadeParents(likelihood, m, rng).visit_all(check);
      if (m < likelihood.depth())
        activations.visit_layer(m + 1, ChildrenTerms(likelihood.layers[m]), check);
    }
    CascadeParameters(likelihood, rng).update();
    set_features();
  }

  std::vector<double> scalars() const { return CascadeDensity(likelihood).scalars(); }
  std::vector<std::string> scalar_names() const { return CascadeDensity::names(likelihood.model); }

  template <class Archive>
  void archive(Archive& a) {
    a(likelihood);
    a(rng);
    set_features();
  }

 private:
  void draw_missing() {
    CascadeLayer& visible = likelihood.layers[0];
    for (const auto& [n, k] : likelihood.data->missing) {
      double mean = visible.bias(k);
      if (visible.parents() > 0) mean += likelihood.layers[1].u.row(n).dot(visible.weights.col(k));
      visible.x(n, k) = mean + rng.normal() / std::sqrt(visible.precision(k));
    }
  }

  void set_features() {
    const CascadeLayer& visible = likelihood.layers[0];
    Features edges(visible.units());
    for (int j = 0; j < visible.parents(); ++j) {
      Bits column(visible.units());
      for (int k = 0; k < visible.units(); ++k)
        if (visible.has(j, k)) column.set(k);
      edges.add(std::move(column));
    }
    z = std::move(edges);
  }
};

}  // namespace buffet
