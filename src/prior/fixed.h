#pragma once

#include <limits>

#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// Features that are known.
class Fixed {
 public:
  using Marginal = void;

  double log_prob_lof(const Features&) const { return 0; }
  void reset(const Features&, Rng&) {}
  void follow(const Features&) {}
  void update(const Features&, Rng&) {}
  double log_hyperprior() const { return 0; }
  double alpha() const { return 1; }
  double concentration() const { return 1; }
  int most_features() const { return std::numeric_limits<int>::max(); }
  void restart() {}
  void set(double, double) {}
  template <class Archive>
  void archive(Archive&) {}
};

}  // namespace buffet
