#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/rng.h"

namespace bench {

/// Topics with known words, of which a document has proportions ~ Dirichlet(weights).
struct TopicMixture {
  Eigen::ArrayXXd words;  // topics x words
  Eigen::ArrayXd weights;

  /// Expected proportions given some tokens: a chain of their topics, without its first quarter.
  Eigen::ArrayXd theta(const std::vector<int>& seen, int sweeps, buffet::Rng& rng) const {
    const int topics = static_cast<int>(weights.size());
    Eigen::ArrayXd counts = Eigen::ArrayXd::Zero(topics), mean = counts, odds(topics);
    std::vector<int> z(seen.size(), -1);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (z[i] >= 0) --counts(z[i]);
        odds = (counts + weights) * words.col(seen[i]);
        double u = rng.uniform() * odds.sum();
        z[i] = 0;
        while (z[i] + 1 < topics && (u -= odds(z[i])) >= 0) ++z[i];
        ++counts(z[i]);
      }
      if (sweep >= sweeps / 4) mean += counts + weights;
    }
    return mean / mean.sum();
  }
};

}  // namespace bench
