#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "topic_visit.h"

namespace buffet {

/// A document's tokens dealt out one after the other to the topics of a set: its state on the way.
class TopicDeal {
 public:
  void make_room(int slots) {
    per_word_.setZero(slots);
    held_.assign(slots, 0);
    others_.resize(slots);
  }

  /// Topics, and of each its weight phi and the tokens that other documents have of it, plus V eta.
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

/// Metropolis moves of a document's set of topics: one is added or left out, or two are exchanged,
/// and all tokens are dealt out anew. Topics are picked by what other documents have of the
/// document's words, so that a pick is as probable before as after the move.
class TopicMove {
 public:
  TopicMove(TopicState& state, OpenDocument& document, Rng& rng)
      : state_(state),
        document_(document),
        rng_(rng),
        eta_(state.model.eta.value),
        all_(eta_ * state.data->words()) {}

  /// One move. `changed(k)` is called for every topic whose tokens became more or fewer.
  template <class Changed>
  void operator()(Changed changed) {
    const int k = pick(), l = rng_.bernoulli(0.5) ? pick() : k;
    if (!can_flip(k) || !can_flip(l)) return;
    const bool has_k = draw_choice(k);
    if (l != k && draw_choice(l) == has_k) return;
    choose_sets({k, has_k}, l);
    if (after_.empty()) return;
    double log_ratio = deal();
    for (int flipped : {k, l}) {
      const TopicAtom atom = state_.atom(flipped);
      const double odds = std::log(atom.pi / (1 - atom.pi)) - state_.ell(document_.m) * atom.phi;
      log_ratio += (flipped == k) == has_k ? -odds : odds;
      if (l == k) break;
    }
    if (keeps_all() && std::log(rng_.uniform()) < log_ratio) adopt(changed);
    forget();
  }

 private:
  static constexpr int nowhere = -1;

  /// How often a topic has a word, without the tokens that are still to be dealt.
  struct Entry {
    int topic, before, after;
  };

  int first() const { return state_.data->begin(document_.m); }
  int last() const { return state_.data->end(document_.m); }
  int others(int k) const { return state_.counts.total(k) - document_.held[k]; }

  /// One time in ten any topic, else one in proportion to what others have of a word of the
  /// document.
  int pick() {
    if (rng_.bernoulli(0.1)) return rng_.below(state_.slots());
    const int i = first() + rng_.below(last() - first());
    read_list(begin_of_word(i), end_of_word(i), [](int) { return true; });
    double sum = 0;
    for (const Entry& entry : entries_) sum += entry.before / (others(entry.topic) + all_);
    double at = rng_.uniform() * sum;
    for (const Entry& entry : entries_)
      if ((at -= entry.before / (others(entry.topic) + all_)) < 0) return entry.topic;
    return nowhere;
  }

  /// Topics that only this document has tokens of would end.
  bool can_flip(int k) const { return k != nowhere && state_.lives(k) && others(k) > 0; }

  /// Is the topic chosen by the document? Drawn where it has no token of it.
  bool draw_choice(int k) { return document_.held[k] > 0 || rng_.bernoulli(document_.on(k)); }

  void choose_sets(std::pair<int, bool> first, int second) {
    const auto [k, has_k] = first;
    before_.clear();
    after_.clear();
    for (int j = 0; j < state_.slots(); ++j) {
      const bool flips = j == k || j == second;
      const bool has = flips ? (j == k) == has_k : state_.lives(j) && draw_choice(j);
      if (has) before_.push_back(j);
      if (has != flips) after_.push_back(j);
    }
  }

  /// First and last token of the same word in the document.
  int begin_of_word(int i) const {
    while (i > first() && state_.data->word(i - 1) == state_.data->word(i)) --i;
    return i;
  }
  int end_of_word(int i) const {
    const int word = state_.data->word(i);
    while (i < last() && state_.data->word(i) == word) ++i;
    return i;
  }

  /// What other documents have of the word of tokens i to end, in the topics that matter.
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

  Entry& entry_of(int k) {
    for (Entry& entry : entries_)
      if (entry.topic == k) return entry;
    entries_.push_back({k, 0, 0});
    return entries_.back();
  }

  /// Deals the tokens out to the new set, and as they are to the old one. Log of the ratio of the
  /// products of the normalisers, the new over the old.
  double deal() {
    begin_deal(old_, before_);
    begin_deal(new_, after_);
    dealt_.resize(last() - first());
    double log_ratio = 0, ratio = 1;
    for (int i = first(), end; i < last(); i = end) {
      end = end_of_word(i);
      read_list(i, end, [&](int k) { return old_.per_word(k) > 0 || new_.per_word(k) > 0; });
      for (int j = i; j < end; ++j) {
        ratio *= deal_token(j);
        if (ratio > 1e-100 && ratio < 1e100) continue;
        log_ratio += std::log(ratio);
        ratio = 1;
      }
    }
    return log_ratio + std::log(ratio);
  }

  void begin_deal(TopicDeal& deal, const std::vector<int>& set) {
    if (slots_ < state_.slots()) {
      slots_ = state_.slots();
      old_.make_room(slots_);
      new_.make_room(slots_);
    }
    deal.begin();
    for (int k : set) deal.put(k, state_.phi(k), others(k) + all_);
  }

  double deal_token(int j) {
    double now = eta_ * old_.sum(), then = eta_ * new_.sum();
    for (const Entry& entry : entries_) {
      now += entry.before * old_.per_word(entry.topic);
      then += entry.after * new_.per_word(entry.topic);
    }
    const int from = state_.z[j], to = draw(rng_.uniform() * then);
    dealt_[j - first()] = to;
    old_.take(from, state_.phi(from));
    new_.take(to, state_.phi(to));
    ++entry_of(from).before;
    ++entry_of(to).after;
    return then / now;
  }

  int draw(double at) const {
    for (const Entry& entry : entries_)
      if ((at -= entry.after * new_.per_word(entry.topic)) < 0) return entry.topic;
    for (int k : after_)
      if ((at -= eta_ * new_.per_word(k)) < 0) return k;
    return after_.back();
  }

  bool keeps_all() const {
    for (int i = first(); i < last(); ++i)
      if (others(state_.z[i]) == 0 && new_.held(state_.z[i]) == 0) return false;
    return true;
  }

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

  void forget() {
    for (const auto* set : {&before_, &after_})
      for (int k : *set) {
        old_.clear(k);
        new_.clear(k);
      }
  }

  TopicState& state_;
  OpenDocument& document_;
  Rng& rng_;
  double eta_, all_;
  int slots_ = 0;
  std::vector<int> before_, after_, dealt_;
  std::vector<Entry> entries_;  ///< of the word that is dealt
  TopicDeal old_, new_;
};

}  // namespace buffet
