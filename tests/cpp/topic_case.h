#pragma once

// Documents in a focused topic model, token by token.

#include <algorithm>
#include <cmath>
#include <vector>

#include "topics/topic_state.h"

namespace test {

using buffet::Hyper;
using buffet::Lengths;
using buffet::Rng;
using buffet::TopicAtom;
using buffet::TopicData;
using buffet::TopicModel;
using buffet::TopicState;

struct Token {
  int word, topic;
};

/// The tokens of each document, with equal words adjacent.
using Documents = std::vector<std::vector<Token>>;

inline TopicData topic_data(int words, const Documents& documents) {
  TopicData::Counts counts(documents.size());
  for (std::size_t m = 0; m < documents.size(); ++m)
    for (const Token& token : documents[m]) {
      if (counts[m].empty() || counts[m].back().first != token.word)
        counts[m].push_back({token.word, 0});
      ++counts[m].back().second;
    }
  return TopicData(words, counts);
}

/// Sets the topics of all tokens in a state without topics.
inline void assign(const Documents& documents, const std::vector<TopicAtom>& atoms,
                   TopicState& state) {
  const int topics = static_cast<int>(atoms.size());
  state.resize(std::max(1, topics));
  for (int k = 0; k < topics; ++k) state.set_atom(k, atoms[k]);
  int i = 0;
  for (const auto& document : documents)
    for (const Token& token : document) {
      state.z[i++] = token.topic;
      state.counts.add(token.word, token.topic);
    }
}

/// Number of tokens of a document in topic k.
inline int count_of(const std::vector<Token>& document, int k) {
  int n = 0;
  for (const Token& token : document) n += token.topic == k;
  return n;
}

}  // namespace test
