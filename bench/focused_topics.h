#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "completion.h"
#include "corpus.h"
#include "decoupled.h"
#include "topics/topic_fold.h"
#include "topics/topics.h"

namespace bench {

inline buffet::TopicData topic_data(const Corpus& corpus) {
  buffet::TopicData::Counts counts;
  for (const auto& document : corpus.documents) {
    counts.emplace_back();
    for (int word : document) {
      if (counts.back().empty() || counts.back().back().first != word)
        counts.back().push_back({word, 0});
      ++counts.back().back().second;
    }
  }
  return {corpus.words, counts};
}

inline buffet::KnownTopics known_topics(const buffet::TopicState& state) {
  const auto bytes = state.bytes_kept();
  return {state.model, state.loadings(), buffet::ByteReader(bytes)};
}

/// A draw of the focused topic model, for Completion.
struct FocusedDraw {
  buffet::KnownTopics known;
  Eigen::ArrayXXd words;  ///< topics x words; the last row is for fresh topics
  Eigen::ArrayXd sizes;   ///< number of tokens of each topic, plus V eta

  explicit FocusedDraw(const buffet::TopicState& state)
      : known(known_topics(state)),
        words(Eigen::ArrayXXd::Constant(known.size() + 1, state.data->words(),
                                        state.model.eta.value)) {
    for (int k = 0; k < known.size(); ++k)
      for (const auto& [word, count] : known.words[k]) words(k, word) += count;
    sizes = words.rowwise().sum();
    words.colwise() /= sizes;
  }

  /// Half of the document is observed, so the exposure is log(1 + 1/2) if the model explains
  /// lengths.
  std::vector<double> complete(const HalfDocument& halves, int sweeps, buffet::Rng& rng) const {
    const buffet::TopicData data = topic_data({static_cast<int>(words.cols()), {halves.seen}});
    const bool given = known.model.lengths == buffet::Lengths::given;
    buffet::TopicFold fold(data, known, {given ? -1 : std::log(1.5), sweeps, 5});
    const auto means = fold.document(0, rng, [] {});
    const Eigen::ArrayXd shares = means.per_word * sizes.head(known.size());
    std::vector<double> out;
    for (int word : halves.rest) {
      out.push_back(means.flat + (shares * words.col(word).head(known.size())).sum());
      for (int i = 0; i < data.tokens(); ++i)
        if (data.word(i) == word) out.back() += means.own[i];
    }
    return out;
  }
};

struct FocusedPlan {
  buffet::Lengths lengths;
  int moves, start;
};

/// The focused topic model with its default priors.
class FocusedTopicModel {
 public:
  FocusedTopicModel(const Corpus& corpus, const FocusedPlan& plan, std::uint64_t seed)
      : data_(topic_data(corpus)),
        chain_(data_,
               {plan.lengths, buffet::Hyper::gamma(1, 0.1), buffet::Hyper::gamma(1, 0.05),
                buffet::Hyper::gamma(1, 1)},
               plan.moves, buffet::Rng(seed)) {
    chain_.likelihood.start(plan.start, chain_.rng);
  }
  FocusedTopicModel(const FocusedTopicModel&) = delete;  // chain_ refers to data_

  void sweep(buffet::Rng&) {
    chain_.sweep([] {});
  }
  FocusedDraw draw() const { return FocusedDraw(chain_.likelihood); }

  buffet::TopicChain& chain() { return chain_; }
  int tokens() const { return data_.tokens(); }

 private:
  buffet::TopicData data_;
  buffet::TopicChain chain_;
};

/// Documents x topics in the current state of a chain.
inline Eigen::ArrayXXd counts_of(const buffet::TopicState& state) {
  const buffet::KnownTopics known = known_topics(state);
  Eigen::ArrayXXd counts = Eigen::ArrayXXd::Zero(known.size(), state.data->documents());
  for (int k = 0; k < known.size(); ++k)
    for (const auto& [m, count] : known.documents[k]) counts(k, m) = count;
  return counts;
}

/// Documents as predicted by the fitted model, if it explains their lengths.
inline Eigen::ArrayXXd implied_counts(const FocusedDraw& draw, int documents, buffet::Rng& rng) {
  const int size = draw.known.size();
  const Eigen::ArrayXXd atoms = draw.known.atoms.leftCols(size);
  const FocusedTopics topics{atoms.row(0), atoms.row(1), draw.words.topRows(size)};
  return draw_documents(topics, documents, rng).counts.cast<double>();
}

inline double focused_perplexity(const TopicProblem& problem, const FocusedPlan& plan) {
  FocusedTopicModel sampler(problem.training, plan, problem.seed);
  buffet::Rng rng(problem.seed, 2);
  return completed(sampler, problem, rng);
}

}  // namespace bench
