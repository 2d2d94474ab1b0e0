#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "core/check.h"
#include "core/rng.h"
#include "topic_move.h"
#include "topic_parameters.h"
#include "topic_record.h"
#include "topic_visit.h"

namespace buffet {

struct FoldPlan {
  double ell;  ///< exposure of the documents, negative if unknown
  int sweeps, moves;
};

/// New documents given known topics. For each document separately, the topics of its tokens and its
/// choices of topics are sampled as in a chain, with the weights and probabilities of the topics
/// fixed.
class TopicFold {
 public:
  TopicFold(const TopicData& documents, const KnownTopics& known, const FoldPlan& plan);

  /// Means over the last three quarters of the sweeps, and the final state. The next word of the
  /// document is w with a probability that is the sum of three terms: per_word_k (n_kw + eta)
  /// summed over known topics k, where n are the counts of the draw; `flat`; and `own` summed over
  /// the tokens of w in the document.
  struct Means {
    Eigen::ArrayXd shares;          ///< share of each topic in the document; last: all fresh topics
    Eigen::ArrayXd chosen;          ///< probability that the document has chosen each topic
    Eigen::ArrayXd per_word;        ///< for each known topic: share / (tokens + V eta)
    double flat = 0;                ///< contribution of fresh topics to every word
    std::vector<double> own{};      ///< contribution of each token to its own word
    std::vector<double> weights{};  ///< final n + b phi of each topic, then of each fresh topic
    std::vector<int> topics{};      ///< final topic of each token, as an index into `weights`
  };
  /// `check` is called repeatedly during each sweep.
  Means document(int m, Rng& rng, const Check& check);

  /// A number determined by the words of a document. It seeds the document's random numbers
  /// independently of other documents.
  std::uint64_t key(int m) const;

 private:
  /// Assigns every token to a topic that contains its word, or to a topic that is probably chosen.
  void start(int m, Rng& rng, const Check& check);

  /// Draws the chosen topics without a token, and returns n + S, where S is the total weight of the
  /// chosen topics.
  double draw_weights(const OpenDocument& document, Rng& rng);

  /// Adds E theta. For topic k it is (n + b phi) / (n + S), with b integrated out, given the b of
  /// all other topics, if k has no token. For fresh topics without a token it is the integral of
  /// phi / (n + phi + S) over their law, estimated from one draw. Also adds the probability of the
  /// next word, E theta times E beta, given the tokens of this document as well.
  void add(TopicVisit<FreshTopicNew>& visit, Rng& rng, Means& means);

  void divide(Means& means) const;

  /// Records the current state.
  void keep(const OpenDocument& document, Rng& rng, Means& means);

  /// Draws the exposure as in a chain.
  void draw_exposure(const OpenDocument& document, Rng& rng);

  /// Restores the topics, including the order in which words store them.
  void leave(int m);

  TopicState state_;
  TopicCounts counts_;  ///< excluding the new document
  int known_;
  FoldPlan plan_;
  FreshTopicNew fresh_;
  std::vector<double> weights_;   ///< values last drawn, as in Means
  std::vector<double> per_word_;  ///< share / (tokens + V eta) for each slot
};

}  // namespace buffet
