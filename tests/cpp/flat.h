#pragma once

#include <array>

#include "core/archive.h"
#include "core/features.h"
#include "core/number_law.h"
#include "core/rng.h"

namespace buffet {

/// A likelihood without data; sampling with it must reproduce the prior.
class Flat {
 public:
  using Searcher = Flat;
  static constexpr bool keeps_loadings = false, searches = false;

  void reset(const Features&) {}
  void refresh(const Features&) {}
  void enter(const Features&, int i) { row_ = i; }
  double log_ratio(int) const { return 0; }
  void flip(int) {}

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    NumberLaw law;
    law.set(log_prior_ratio);
    return law.draw(rng);
  }

  void leave(Features& z, int own) {
    for (int k = z.size() - 1; k >= 0; --k)
      if (z.is_own(row_, k)) z.drop(k);
    while (own-- > 0) z.add_own(row_);
  }

  double log_lik(const Features&) const { return 0; }
  void update(const Features&, Rng&) {}
  void restart() {}
  const Flat& searcher() const { return *this; }
  void adopt(const Flat&, const Features&) {}
  void archive(Archive&) {}
  bool fits(const Features&) const { return true; }
  static constexpr std::array<const char*, 0> hyperparameter_names{};
  std::array<double, 0> hyperparameters() const { return {}; }
  double log_hyperprior() const { return 0; }

 private:
  int row_ = 0;
};

}  // namespace buffet
