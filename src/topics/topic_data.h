#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// Documents as lists of tokens, each of which is the index of a word. Tokens of the same word are
/// adjacent within a document, because their order is irrelevant.
class TopicData {
 public:
  /// counts[m]: pairs of a word and its count in document m, with each word listed once.
  using Counts = std::vector<std::vector<std::pair<int, int>>>;

  TopicData(int words, const Counts& counts);

  int words() const { return words_; }
  int documents() const { return static_cast<int>(starts_.size()) - 1; }
  int tokens() const { return static_cast<int>(tokens_.size()); }
  int begin(int m) const { return starts_[m]; }
  int end(int m) const { return starts_[m + 1]; }
  int length(int m) const { return end(m) - begin(m); }
  int word(int token) const { return tokens_[token]; }
  /// Documents with at least one token.
  const std::vector<int>& filled() const { return filled_; }

 private:
  int words_;
  std::vector<int> starts_, tokens_, filled_;
};

/// A topic, as it enters the conditional distribution of its weight: Gamma(gamma + tables, 1 +
/// exposure), where exposure is the sum of ell over the documents that have chosen it.
struct ChosenTopic {
  Bits documents;
  double exposure = 0, phi = 0;
  int tables = 0;

  ChosenTopic(Bits documents_, const Eigen::ArrayXd& ell);

  /// log p(tables | gamma), up to a constant, with the weight integrated out.
  double log_marginal(double gamma) const;
  /// Returns at least the smallest positive double, so the logarithm is finite.
  void draw_weight(double gamma, Rng& rng);

  /// Log of the expected number of topics with this weight that have been chosen by exactly these
  /// of M documents, divided by alpha.
  double log_density(double gamma, int documents_in_all) const;
};

}  // namespace buffet
