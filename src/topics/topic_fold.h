#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

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
  TopicFold(const TopicData& documents, const KnownTopics& known, const FoldPlan& plan)
      : state_(documents, known.model),
        counts_(documents.words()),
        known_(known.size()),
        plan_(plan),
        fresh_(known.model.alpha.value, known.model.gamma.value, known.atoms(0, known_),
               static_cast<int>(known.atoms(1, known_))) {
    state_.resize(std::max(1, known_));
    for (int k = 0; k < known_; ++k) {
      state_.set_atom(k, known.atom(k));
      for (const auto& [word, count] : known.words[k]) state_.counts.add(word, k, count);
    }
    counts_ = state_.counts;
  }

  /// Means over the last three quarters of the sweeps, after each of which `check` is called.
  struct Means {
    Eigen::ArrayXd shares;  ///< of each topic in the document; last that of all fresh ones
    Eigen::ArrayXd chosen;  ///< probability that the document has chosen the topic
  };
  template <class Check>
  Means document(int m, Rng& rng, Check check) {
    start(m, rng);
    TopicVisit<FreshTopicNew> visit(state_, fresh_, rng);
    TopicMove move(state_, visit.document(), rng);
    Means means{Eigen::ArrayXd::Zero(known_ + 1), Eigen::ArrayXd::Zero(known_)};
    const int skipped = plan_.sweeps / 4;
    for (int sweep = 0; sweep < plan_.sweeps; ++sweep) {
      check();
      visit.open(m);
      visit.visit_tokens();
      if (sweep >= skipped) add(visit, means);
      if (state_.data->length(m) > 0)
        for (int n = 0; n < plan_.moves; ++n) move([&](int k) { visit.refresh(k); });
      draw_exposure(visit.document(), rng);
      visit.close([](int, int) {});
    }
    leave(m);
    means.shares /= plan_.sweeps - skipped;
    means.chosen /= plan_.sweeps - skipped;
    return means;
  }

 private:
  /// Every token in a topic that has its word, or in the one that is probably chosen.
  void start(int m, Rng& rng) {
    state_.ell(m) = plan_.ell >= 0 ? plan_.ell : std::log(2.0);
    if (state_.data->length(m) == 0) state_.ell(m) = std::max(plan_.ell, 0.0);
    Eigen::Index most = 0;
    state_.pi.maxCoeff(&most);
    for (int i = state_.data->begin(m); i < state_.data->end(m); ++i) {
      const auto& list = state_.counts.list(state_.data->word(i));
      std::vector<double> weights;
      for (const auto& entry : list)
        weights.push_back(entry.count * state_.pi(entry.topic) * state_.phi(entry.topic) /
                          state_.counts.total(entry.topic));
      const int n = draw_from(weights, rng);
      state_.z[i] = n < 0 ? static_cast<int>(most) : list[n].topic;
    }
    for (int i = state_.data->begin(m); i < state_.data->end(m); ++i)
      state_.counts.add(state_.data->word(i), state_.z[i]);
  }

  static int draw_from(const std::vector<double>& weights, Rng& rng) {
    double sum = 0;
    for (double weight : weights) sum += weight;
    double at = rng.uniform() * sum;
    for (std::size_t n = 0; n < weights.size(); ++n)
      if ((at -= weights[n]) < 0) return static_cast<int>(n);
    return static_cast<int>(weights.size()) - 1;
  }

  void add(TopicVisit<FreshTopicNew>& visit, Means& means) const {
    const Eigen::ArrayXd weights = visit.weights();
    const double known = weights.head(known_).sum();
    const double fresh = weights.tail(weights.size() - known_).sum() +
                         fresh_.weighted_mass(state_.ell(visit.document().m));
    means.shares.head(known_) += weights.head(known_) / (known + fresh);
    means.shares(known_) += fresh / (known + fresh);
    for (int k = 0; k < known_; ++k)
      means.chosen(k) += visit.document().held[k] > 0 ? 1 : visit.document().on(k);
  }

  /// As in a chain; topics that are not known and have no token are taken to weigh nothing.
  void draw_exposure(const OpenDocument& document, Rng& rng) {
    const int length = state_.data->length(document.m);
    if (plan_.ell >= 0 || length == 0) return;
    double weight = 0;
    for (int k = 0; k < state_.slots(); ++k)
      if (document.held[k] > 0 || (state_.lives(k) && rng.bernoulli(document.on(k))))
        weight += state_.phi(k);
    state_.ell(document.m) = draw_exposure_of(weight, length, rng);
  }

  /// The topics as they were, to the order in which words keep them.
  void leave(int m) {
    for (int i = state_.data->begin(m); i < state_.data->end(m); ++i)
      if (state_.z[i] >= known_) state_.free(state_.z[i]);
    state_.counts = counts_;
    state_.resize(std::max(1, known_));
  }

  TopicState state_;
  TopicCounts counts_;  ///< without a new document
  int known_;
  FoldPlan plan_;
  FreshTopicNew fresh_;
};

}  // namespace buffet
