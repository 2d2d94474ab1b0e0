#pragma once

#include <Eigen/Dense>

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

  /// Means over the last three quarters of the sweeps, after each of which `check` is called.
  struct Means {
    Eigen::ArrayXd shares;  ///< of each topic in the document; last that of all fresh ones
    Eigen::ArrayXd chosen;  ///< probability that the document has chosen the topic
  };
  Means document(int m, Rng& rng, const Check& check);

 private:
  /// Every token in a topic that has its word, or in the one that is probably chosen.
  void start(int m, Rng& rng);

  void add(TopicVisit<FreshTopicNew>& visit, Means& means) const;

  /// As in a chain; topics that are not known and have no token are taken to weigh nothing.
  void draw_exposure(const OpenDocument& document, Rng& rng);

  /// The topics as they were, to the order in which words keep them.
  void leave(int m);

  TopicState state_;
  TopicCounts counts_;  ///< without a new document
  int known_;
  FoldPlan plan_;
  FreshTopicNew fresh_;
};

}  // namespace buffet
