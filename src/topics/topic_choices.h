#pragma once

#include <cmath>
#include <utility>
#include <vector>

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
  void begin(int documents) {
    holders_.clear();
    tables_.clear();
    documents_ = documents;
  }

  /// Document m has n tokens of topic k: of tokens i = 0, 1, ... each sits at a new table with
  /// probability phi / (phi + i).
  void add(int m, std::pair<int, int> tokens, double phi, Rng& rng) {
    const auto [k, n] = tokens;
    while (static_cast<int>(tables_.size()) <= k) {
      tables_.push_back(0);
      holders_.emplace_back(documents_);
    }
    holders_[k].set(m);
    ++tables_[k];
    for (int i = 1; i < n; ++i) tables_[k] += rng.uniform() * (phi + i) < phi;
  }

  int tables(int k) const { return tables_[k]; }

  /// Documents that have chosen topic k, those without a token of it too. Where none has a token
  /// the chosen ones are a thinned sample of probability pi.
  Bits draw(int k, const TopicState& state, Rng& rng) const {
    Bits chosen = holders_[k];
    const TopicAtom atom = state.atom(k);
    const double log_missed = std::log1p(-atom.pi);
    const auto& filled = state.data->filled();
    const bool all = state.shared_by() == state.data->documents();
    const int count = state.shared_by();
    for (double at = skipped(log_missed, rng); at < count; at += 1 + skipped(log_missed, rng)) {
      const int m = all ? static_cast<int>(at) : filled[static_cast<std::size_t>(at)];
      if (holders_[k].at(m)) continue;
      const double none = std::exp(-atom.phi * state.ell(m));
      if (rng.uniform() * (1 - atom.pi + atom.pi * none) < none) chosen.set(m);
    }
    return chosen;
  }

 private:
  int documents_ = 0;
  std::vector<Bits> holders_;
  std::vector<int> tables_;
};

}  // namespace buffet
