#pragma once

#include <vector>

#include "core/features.h"
#include "core/rng.h"
#include "likelihood/choice_sums.h"
#include "likelihood/weight_prior.h"

namespace bench {

/// Rumelhart & Greeno (1971): 234 students, every pair of nine celebrities; row chosen over column.
inline buffet::ChoiceData celebrities() {
  return {9, {0,  159, 163, 175, 183, 179, 173, 160, 142,  //
              75, 0,   138, 164, 172, 160, 156, 122, 122,  //
              71, 96,  0,   145, 157, 138, 140, 122, 120,  //
              59, 70,  89,  0,   176, 115, 124, 86,  61,   //
              51, 62,  77,  58,  0,   77,  95,  72,  61,   //
              55, 74,  96,  119, 157, 0,   134, 92,  71,   //
              61, 78,  94,  110, 139, 100, 0,   67,  48,   //
              74, 112, 112, 148, 162, 142, 167, 0,   87,   //
              92, 112, 114, 173, 173, 163, 186, 147, 0}};
}

/// Choices simulated from the model: three features per item on average, Gamma(1, 1) weights, 1 %
/// lapses, and equally many judgements of every pair.
inline buffet::ChoiceData simulated_choices(int items, int judgements) {
  buffet::Rng rng(1, 200);
  buffet::Features z(items);
  for (int i = 0; i < items; ++i) {
    for (int k = 0; k < z.size(); ++k)
      if (rng.uniform() < z.count(k) / (i + 1.0)) z.flip(i, k);
    for (int own = rng.poisson(3.0 / (i + 1)); own > 0; --own) z.add_own(i);
  }
  std::vector<double> weights, wins(items * items, 0);
  for (int k = 0; k < z.size(); ++k) weights.push_back(rng.gamma(1, 1));
  const buffet::EliminationByAspects rule{0.01};
  for (int i = 0; i < items; ++i)
    for (int j = 0; j < i; ++j) {
      double a = 0, b = 0;
      for (int k = 0; k < z.size(); ++k)
        if (z.at(i, k) != z.at(j, k)) (z.at(i, k) ? a : b) += weights[k];
      for (int n = 0; n < judgements; ++n)
        ++wins[rng.bernoulli(rule.probability(a, b)) ? i * items + j : j * items + i];
    }
  return {items, wins};
}

}  // namespace bench
