#pragma once

#include <Eigen/Dense>
#include <vector>

#include "completion.h"
#include "core/rng.h"

namespace bench {

/// Topics with known mean probabilities of words, which are Dirichlet with these sums of shapes,
/// and a document with proportions ~ Dirichlet(weights).
struct TopicMixture {
  Eigen::ArrayXXd words;  // topics x words
  Eigen::ArrayXd weights, sizes;

  /// A chain of the topics of the tokens, whose first quarter is discarded.
  std::vector<double> complete(const HalfDocument& halves, int sweeps, buffet::Rng& rng) const {
    const auto& [seen, rest] = halves;
    const int topics = static_cast<int>(weights.size());
    Eigen::ArrayXd counts = Eigen::ArrayXd::Zero(topics), odds(topics);
    Eigen::ArrayXXd own = Eigen::ArrayXXd::Zero(topics, words.cols());
    const auto weigh = [&](int word) {
      odds = (counts + weights) * (words.col(word) * sizes + own.col(word)) / (sizes + counts);
    };
    std::vector<int> z(seen.size(), -1);
    std::vector<double> sums(rest.size(), 0.0);
    double total = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (z[i] >= 0) {
          --counts(z[i]);
          --own(z[i], seen[i]);
        }
        weigh(seen[i]);
        double u = rng.uniform() * odds.sum();
        z[i] = 0;
        while (z[i] + 1 < topics && (u -= odds(z[i])) >= 0) ++z[i];
        ++counts(z[i]);
        ++own(z[i], seen[i]);
      }
      if (sweep < sweeps / 4) continue;
      total += (counts + weights).sum();
      for (std::size_t i = 0; i < rest.size(); ++i) {
        weigh(rest[i]);
        sums[i] += odds.sum();
      }
    }
    for (double& sum : sums) sum /= total;
    return sums;
  }
};

}  // namespace bench
