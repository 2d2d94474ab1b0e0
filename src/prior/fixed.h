#pragma once

#include <array>
#include <limits>

#include "contract.h"

namespace buffet {

/// Known features.
class Fixed : public NothingKept {
 public:
  using Marginal = void;

  double log_prob_lof(const Features&) const { return 0; }
  void update(const Features&, Rng&) {}
  double log_hyperprior() const { return 0; }
  static constexpr std::array<const char*, 0> hyperparameter_names{};
  std::array<double, 0> hyperparameters() const { return {}; }
  void set(const std::array<double, 0>&) {}
  int most_features() const { return std::numeric_limits<int>::max(); }
  void restart() {}
  void archive(Archive&) {}
};

}  // namespace buffet
