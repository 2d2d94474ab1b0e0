#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "../core/features.h"
#include "../core/rng.h"

namespace buffet {

/// The likelihood of no data: what is sampled with it is the prior.
class Flat {
 public:
  using Searcher = Flat;
  static constexpr bool keeps_loadings = false;

  void reset(const Features&) {}
  void refresh(const Features&) {}
  void enter(const Features&, int i) { row_ = i; }
  double log_ratio(int) const { return 0; }
  void flip(int) {}

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    double weight = 1, total = 1;
    std::vector<double> weights{1};
    for (int j = 0; weight > 1e-20 * total || j < 1; ++j) {
      weight *= std::exp(log_prior_ratio(j));
      weights.push_back(weight);
      total += weight;
    }
    double rest = rng.uniform() * total;
    int j = 0;
    while (j + 1 < static_cast<int>(weights.size()) && (rest -= weights[j]) >= 0) ++j;
    return j;
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
  template <class Archive>
  void archive(Archive&) {}
  static constexpr std::array<const char*, 0> hyperparameter_names{};
  std::array<double, 0> hyperparameters() const { return {}; }
  double log_hyperprior() const { return 0; }

 private:
  int row_ = 0;
};

}  // namespace buffet
