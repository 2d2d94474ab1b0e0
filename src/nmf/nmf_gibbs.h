#pragma once

#include <string>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "nmf.h"

namespace buffet {

/// A chain for a factorisation. Its components are features that all rows have.
struct NmfGibbs {
  static constexpr bool searches = false;

  Features z;
  Nmf likelihood;
  Rng rng;

  NmfGibbs(const NmfData& data, const NmfModel& model, Rng rng_);

  /// `check` is called repeatedly and may throw.
  void sweep(const Check& check);

  void archive(Archive& a) {
    a(likelihood);
    a(rng);
  }

  std::vector<double> scalars() const;
  static std::vector<std::string> scalar_names() { return {"sigma_x", "log_lik", "log_joint"}; }
};

}  // namespace buffet
