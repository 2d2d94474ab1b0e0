#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "topic_state.h"

namespace buffet {

/// How many in a row are missed, each with the same probability.
inline double skipped(double log_missed, Rng& rng) {
  return std::floor(std::log(rng.uniform()) / log_missed);
}

/// What a sweep over the documents leaves behind of each topic: who has tokens of it, and how many
/// tables t these would sit at in a restaurant of concentration phi. Given those, the documents
/// that have chosen it.
class TopicChoices {
 public:
  void begin(int documents);

  /// Document m has n tokens of topic k: of tokens i = 0, 1, ... each sits at a new table with
  /// probability phi / (phi + i).
  void add(int m, std::pair<int, int> tokens, double phi, Rng& rng);

  int tables(int k) const { return tables_[k]; }

  /// Documents that have chosen topic k, those without a token of it too. Where none has a token
  /// the chosen ones are a thinned sample of probability pi.
  Bits draw(int k, const TopicState& state, Rng& rng) const;

 private:
  int documents_ = 0;
  std::vector<Bits> holders_;
  std::vector<int> tables_;
};

}  // namespace buffet
