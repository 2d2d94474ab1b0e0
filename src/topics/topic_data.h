#pragma once

#include <utility>
#include <vector>

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

}  // namespace buffet
