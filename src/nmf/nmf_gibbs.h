#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/features.h"
#include "nmf.h"

namespace buffet {

/// A chain of a factorisation. Its components are features that all rows hold.
struct NmfGibbs {
  static constexpr bool searches = false;

  Features z;
  Nmf likelihood;
  Rng rng;

  NmfGibbs(const NmfData& data, const NmfModel& model, Rng rng_)
      : z(data.rows.x.rows()), likelihood(data, model), rng(std::move(rng_)) {
    Bits all(z.rows());
    for (int i = 0; i < z.rows(); ++i) all.set(i);
    for (int k = 0; k < model.rank; ++k) z.add(all);
  }

  /// `check` is called again and again: it may throw.
  template <class Check>
  void sweep(Check check) {
    likelihood.sweep(rng, check);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(likelihood);
    a(rng);
  }

  std::vector<double> scalars() const {
    return {likelihood.sigma_x(), likelihood.log_lik(), likelihood.log_joint()};
  }
  static std::vector<std::string> scalar_names() { return {"sigma_x", "log_lik", "log_joint"}; }
};

}  // namespace buffet
