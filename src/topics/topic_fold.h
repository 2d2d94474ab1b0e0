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
  double ell;  ///< exposure of the documents where it is known, else negative
  int sweeps, moves;
};

/// New documents given known topics: each by itself, its tokens' topics and its choices are sampled
/// as a chain does, with the weights and probabilities of the topics as they are.
class TopicFold {
 public:
  TopicFold(const TopicData& documents, const KnownTopics& known, const FoldPlan& plan);

  /// Means over the last three quarters of the sweeps, and the state that they end in. The next
  /// word of the document is w with probability sum over known topics k of per_word_k (n_kw + eta),
  /// n the counts of the draw, plus `flat`, plus `own` of each token of the document that is w.
  struct Means {
    Eigen::ArrayXd shares;          ///< of each topic in the document; last, of all fresh topics
    Eigen::ArrayXd chosen;          ///< probability that the document has chosen the topic
    Eigen::ArrayXd per_word;        ///< for each known topic, its share / (tokens + V eta)
    double flat = 0;                ///< what fresh topics add to every word
    std::vector<double> own{};      ///< for each token, what it adds to its word
    std::vector<double> weights{};  ///< n + b phi of each topic at the end; last, of each fresh one
    std::vector<int> topics{};      ///< of each token at the end, indices into `weights`
  };
  /// In each sweep `check` is called repeatedly.
  Means document(int m, Rng& rng, const Check& check);

  /// A number determined by the words of a document, which gives it random numbers that do not
  /// depend on other documents.
  std::uint64_t key(int m) const;

 private:
  /// Every token in a topic that has its word, or in the one that is probably chosen.
  void start(int m, Rng& rng, const Check& check);

  /// Draws what is chosen without a token, and returns n + S, S the weight of all that is chosen.
  double draw_weights(const OpenDocument& document, Rng& rng);

  /// Adds E theta: of topic k (n + b phi) / (n + S), b of topics without a token integrated out
  /// given those of all other topics. Of fresh topics without a token it is the integral of
  /// phi / (n + phi + S) over their law, which one draw of it stands for. Adds the probability of
  /// the next word too, E theta times E beta, which is given the tokens of this document as well.
  void add(TopicVisit<FreshTopicNew>& visit, Rng& rng, Means& means);

  void divide(Means& means) const;

  /// The state as it is.
  void keep(const OpenDocument& document, Rng& rng, Means& means);

  /// As in a chain.
  void draw_exposure(const OpenDocument& document, Rng& rng);

  /// Restores the topics, including the order in which words store them.
  void leave(int m);

  TopicState state_;
  TopicCounts counts_;  ///< without a new document
  int known_;
  FoldPlan plan_;
  FreshTopicNew fresh_;
  std::vector<double> weights_;   ///< as Means has them, as last drawn
  std::vector<double> per_word_;  ///< share / (tokens + V eta) of each slot
};

}  // namespace buffet
