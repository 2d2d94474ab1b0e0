#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "topic_visit.h"

namespace buffet {

/// The reassignment of a document's tokens, one after the other, to the topics of a set: the state
/// so far.
class TopicDeal {
 public:
  void make_room(int slots) {
    per_word_.setZero(slots);
    held_.assign(slots, 0);
    others_.resize(slots);
  }

  /// Sets the topics, each with its weight phi and the number of its tokens in other documents plus
  /// V eta.
  void begin() { sum_ = 0; }
  void put(int k, double phi, double others) {
    others_[k] = others;
    per_word_(k) = phi / others;
    sum_ += per_word_(k);
  }
  void take(int k, double phi) {
    const double now = (phi + ++held_[k]) / (others_[k] + held_[k]);
    sum_ += now - per_word_(k);
    per_word_(k) = now;
  }
  void clear(int k) {
    per_word_(k) = 0;
    held_[k] = 0;
  }

  double per_word(int k) const { return per_word_(k); }
  double sum() const { return sum_; }
  int held(int k) const { return held_[k]; }

 private:
  Eigen::ArrayXd per_word_;
  std::vector<int> held_;
  std::vector<double> others_;
  double sum_ = 0;
};

/// Metropolis moves of a document's set of topics: a topic is added, removed, or exchanged for
/// another one, and all tokens are reassigned. Topics are picked by the counts of the document's
/// words in other documents, so a topic is picked with the same probability before and after the
/// move.
class TopicMove {
 public:
  TopicMove(TopicState& state, OpenDocument& document, Rng& rng)
      : state_(state),
        document_(document),
        rng_(rng),
        eta_(state.model.eta.value),
        all_(eta_ * state.data->words()) {}

  /// Makes one move. Calls `changed(k)` for every topic whose number of tokens changed. Returns
  /// true if the move is accepted.
  template <class Changed>
  bool operator()(Changed changed) {
    const bool is_accepted = propose();
    if (is_accepted) adopt(changed);
    return is_accepted;
  }

 private:
  static constexpr int nowhere = -1;

  /// How often a word occurs in a topic, excluding tokens that are not yet reassigned.
  struct Entry {
    int topic, before, after;
  };

  int first() const { return state_.data->begin(document_.m); }
  int last() const { return state_.data->end(document_.m); }
  int others(int k) const { return state_.counts.total(k) - document_.held[k]; }

  /// True if a proposal is accepted. The topics of the tokens are then in dealt_.
  bool propose();

  /// Picks any topic with probability 1/10; otherwise, picks a topic with probability proportional
  /// to its count, in other documents, of a word of the document.
  int pick();

  /// A topic with tokens only in this document would disappear.
  bool can_flip(int k) const { return k != nowhere && state_.lives(k) && others(k) > 0; }

  /// True if the document has chosen the topic. This is drawn if the document has no token of the
  /// topic.
  bool draw_choice(int k) { return document_.held[k] > 0 || rng_.bernoulli(document_.on(k)); }

  void choose_sets(std::pair<int, bool> first, int second);

  /// Index of the first token of the same word in the document, and one past the last.
  int begin_of_word(int i) const;
  int end_of_word(int i) const;

  /// Counts, in other documents, of the word of tokens i to end, for the relevant topics.
  template <class Matters>
  void read_list(int i, int end, Matters matters) {
    entries_.clear();
    for (const auto& entry : state_.counts.list(state_.data->word(i)))
      if (matters(entry.topic)) entries_.push_back({entry.topic, entry.count, entry.count});
    for (; i < end; ++i)
      for (Entry& entry : entries_) {
        entry.before -= entry.topic == state_.z[i];
        entry.after = entry.before;
      }
  }

  Entry& entry_of(int k);

  /// Assigns the tokens to the new set, and evaluates the current assignment under the old set.
  /// Returns the log ratio of the products of the normalisers, new to old.
  double deal();

  void begin_deal(TopicDeal& deal, const std::vector<int>& set);

  double deal_token(int j);

  int draw(double at) const;

  bool keeps_all() const;

  template <class Changed>
  void adopt(Changed changed) {
    for (int i = first(); i < last(); ++i) {
      const int from = state_.z[i], to = dealt_[i - first()], word = state_.data->word(i);
      if (from == to) continue;
      state_.counts.add(word, to);
      state_.counts.remove(word, from);
      state_.z[i] = to;
      --document_.held[from];
      ++document_.held[to];
      changed(from);
      changed(to);
    }
  }

  void forget();

  TopicState& state_;
  OpenDocument& document_;
  Rng& rng_;
  double eta_, all_;
  int slots_ = 0;
  std::vector<int> before_, after_, dealt_;
  std::vector<Entry> entries_;  ///< for the word being reassigned
  TopicDeal old_, new_;
};

}  // namespace buffet
