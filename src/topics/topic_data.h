#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// Documents as tokens, numbers of words. Tokens of one word lie together within a document: their
/// order means nothing.
class TopicData {
 public:
  /// counts[m]: pairs of a word and how often document m has it, each word once.
  using Counts = std::vector<std::vector<std::pair<int, int>>>;

  TopicData(int words, const Counts& counts);

  int words() const { return words_; }
  int documents() const { return static_cast<int>(starts_.size()) - 1; }
  int tokens() const { return static_cast<int>(tokens_.size()); }
  int begin(int m) const { return starts_[m]; }
  int end(int m) const { return starts_[m + 1]; }
  int length(int m) const { return end(m) - begin(m); }
  int word(int token) const { return tokens_[token]; }
  /// Documents with a token.
  const std::vector<int>& filled() const { return filled_; }

 private:
  int words_;
  std::vector<int> starts_, tokens_, filled_;
};

/// A topic as its weight's conditional sees it: Gamma(gamma + tables, 1 + exposure), where exposure
/// is the summed ell of the documents that have chosen it.
struct ChosenTopic {
  Bits documents;
  double exposure = 0, phi = 0;
  int tables = 0;

  ChosenTopic(Bits documents_, const Eigen::ArrayXd& ell);

  /// log p(tables | gamma), up to a constant, the weight integrated out.
  double log_marginal(double gamma) const;
  /// Not below the least double, so that it has a logarithm.
  void draw_weight(double gamma, Rng& rng);

  /// Log of the expected number of topics with such a weight that just these of M documents have
  /// chosen, over alpha.
  double log_density(double gamma, int documents_in_all) const;
};

}  // namespace buffet
