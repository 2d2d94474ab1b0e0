#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../likelihood/topic_state.h"

namespace buffet {

/// A document that is being worked on.
struct OpenDocument {
  int m = 0;
  std::vector<int> held;  ///< tokens of it that each topic owns
  Eigen::ArrayXd on;      ///< probability that a topic without a token of it is chosen
};

/// Gibbs steps of the tokens of documents, one after the other, weights and choices of topics and
/// the words' distributions integrated out. With f the share of the word in the topic, a token goes
/// to a topic of its document with weight f (n + phi), to another one with weight
/// f phi p(chosen | no token), to a fresh one with the weight that Fresh has.
template <class Fresh>
class TopicVisit {
 public:
  TopicVisit(TopicState& state, const Fresh& fresh, Rng& rng)
      : state_(state),
        fresh_(fresh),
        rng_(rng),
        eta_(state.model.eta.value),
        all_(eta_ * state.data->words()),
        topics_(state.topics()) {
    make_room();
    if (Fresh::equal) weigh();
  }

  OpenDocument& document() { return document_; }

  void open(int m) {
    document_.m = m;
    if (!Fresh::equal) weigh();
    fresh_mass_ = fresh_.mass(ell()) / state_.data->words();
    for (int i = first(); i < last(); ++i) ++document_.held[state_.z[i]];
    per_word_ = joining_ * inverse_;
    for (int i = first(); i < last(); ++i) {
      const int k = state_.z[i];
      per_word_(k) = weight(k, document_.held[k]) * inverse_(k);
    }
    sum_ = per_word_.sum();
  }

  void visit_tokens() {
    for (int i = first(); i < last(); ++i)
      if (state_.counts.total(state_.z[i]) > 1)
        visit(i);
      else
        visit_last(i);
  }

  /// Weight of every topic in the document, and of fresh ones together.
  Eigen::ArrayXd weights() const { return per_word_ / inverse_; }
  double fresh_weight() const { return fresh_mass_ * state_.data->words(); }

  /// Calls f(k, n) for every topic k with n tokens, and leaves the document.
  template <class F>
  void close(F f) {
    for (int i = first(); i < last(); ++i) {
      const int k = state_.z[i];
      if (document_.held[k] == 0) continue;
      f(k, document_.held[k]);
      document_.held[k] = 0;
      inverse_(k) = inverse(k, 0);
    }
  }

  /// Topics other than those that hold tokens now have lost or won some.
  void refresh(int k) { inverse_(k) = inverse(k, 0); }

 private:
  using List = TopicCounts::List;
  static constexpr int nowhere = -1;

  /// What a token's step has found: a topic, and its place in the word's list, if it is there.
  struct Choice {
    int topic, at;
    bool is_fresh() const { return topic == nowhere; }
  };

  int first() const { return state_.data->begin(document_.m); }
  int last() const { return state_.data->end(document_.m); }
  double ell() const { return state_.ell(document_.m); }
  double inverse(int k, int without) const { return 1 / (state_.counts.total(k) - without + all_); }
  double weight(int k, int held) const { return held > 0 ? held + state_.phi(k) : joining_(k); }

  void make_room() {
    const int slots = state_.slots(), before = static_cast<int>(document_.held.size());
    document_.held.resize(slots, 0);
    cumulated_.resize(slots + 1);
    document_.on.conservativeResize(slots);
    for (Eigen::ArrayXd* part : {&joining_, &inverse_, &per_word_}) part->conservativeResize(slots);
    for (int k = before; k < slots; ++k) {
      document_.on(k) = joining_(k) = per_word_(k) = 0;
      inverse_(k) = inverse(k, 0);
    }
  }

  void weigh() {
    const auto &pi = state_.pi, &phi = state_.phi;
    joining_ = pi * (-ell() * phi).exp();
    document_.on = joining_ / (1 - pi + joining_);
    joining_ = document_.on * phi;
  }

  void weigh(int k) {
    const TopicAtom atom = state_.atom(k);
    const double chosen = atom.pi * std::exp(-ell() * atom.phi);
    document_.on(k) = chosen / (1 - atom.pi + chosen);
    joining_(k) = document_.on(k) * atom.phi;
  }

  /// How many tokens of the document a topic owns.
  void hold(int k, int held) {
    document_.held[k] = held;
    const double now = weight(k, held) * inverse_(k);
    sum_ += now - per_word_(k);
    per_word_(k) = now;
  }

  void visit(int i) {
    const int word = state_.data->word(i), k = state_.z[i], held = document_.held[k];
    const double sum = sum_, of_one = per_word_(k), before = inverse_(k);
    inverse_(k) = inverse(k, 1);
    hold(k, held - 1);
    int at = 0;
    const Choice choice = choose(word, k, at);
    if (choice.topic == k || (choice.is_fresh() && !open_topic(i, at, 0))) {
      inverse_(k) = before;
      document_.held[k] = held;
      per_word_(k) = of_one;
      sum_ = sum;
    } else if (!choice.is_fresh()) {
      move(i, at, choice);
    }
  }

  /// The same for a token that is the last of its topic, which ends with it.
  void visit_last(int i) {
    const int word = state_.data->word(i), k = state_.z[i];
    const TopicAtom atom = state_.atom(k);
    int at = 0;
    while (state_.counts.list(word)[at].topic != k) ++at;
    close_topic(k);
    int ignored = 0;
    const Choice choice = choose(word, k, ignored);
    const double log_ratio = Fresh::equal ? 0 : fresh_.log_ratio(ell(), atom);
    const bool moved = choice.is_fresh() ? open_topic(i, at, log_ratio) : accept(-log_ratio);
    topics_ += !moved;
    if (!moved) {
      state_.set_atom(k, atom);
      weigh(k);
      inverse_(k) = inverse(k, 0);
      hold(k, 1);
    } else if (!choice.is_fresh()) {
      move(i, at, choice);
    }
  }

  bool accept(double log_ratio) {
    return log_ratio >= 0 || rng_.uniform() < std::exp(log_ratio);
  }

  void close_topic(int k) {
    --topics_;
    state_.free(k);
    document_.on(k) = joining_(k) = 0;
    hold(k, 0);
  }

  /// A topic for a token of the word, not counting one token of topic `own`, whose place in the list
  /// is written into `own_at`.
  Choice choose(int word, int own, int& own_at) {
    const List& list = state_.counts.list(word);
    const int size = static_cast<int>(list.size());
    double mass = 0;
    for (int n = 0; n < size; ++n) {
      const bool is_own = list[n].topic == own;
      own_at = is_own ? n : own_at;
      mass += (list[n].count - is_own) * per_word_(list[n].topic);
      cumulated_[n] = mass;
    }
    const double fresh_mass = topics_ < state_.model.max_topics ? fresh_mass_ : 0;
    double at = rng_.uniform() * (mass + eta_ * sum_ + fresh_mass);
    if (at < mass) {
      int n = 0;
      while (cumulated_[n] <= at) ++n;
      return {list[n].topic, n};
    }
    at -= mass;
    if (at >= eta_ * sum_ && fresh_mass > 0) return {nowhere, nowhere};
    return {smoothed(at / eta_), nowhere};
  }

  /// A topic in proportion to its weight in the document over its size.
  int smoothed(double at) const {
    int last = nowhere;
    for (int k = 0; k < per_word_.size(); ++k) {
      if (per_word_(k) <= 0) continue;
      last = k;
      at -= per_word_(k);
      if (at < 0) break;
    }
    return last;
  }

  /// From its place `at` in the word's list.
  void move(int i, int at, const Choice& choice) {
    const int word = state_.data->word(i);
    TopicCounts& counts = state_.counts;
    if (choice.at != nowhere)
      counts.add_at(word, choice.at);
    else
      counts.add(word, choice.topic);
    counts.remove_at(word, at);
    inverse_(choice.topic) = inverse(choice.topic, 0);
    hold(choice.topic, document_.held[choice.topic] + 1);
    state_.z[i] = choice.topic;
  }

  /// A fresh topic for the token, if it is accepted.
  bool open_topic(int i, int at, double log_ratio_before) {
    const TopicAtom atom = fresh_.draw(ell(), rng_);
    if (!Fresh::equal && !accept(fresh_.log_ratio(ell(), atom) - log_ratio_before)) return false;
    ++topics_;
    const int old = state_.z[i];
    const int k = document_.held[old] == 0 && state_.counts.total(old) == 1 ? old : free_slot();
    state_.set_atom(k, atom);
    weigh(k);
    if (k != old) {
      move(i, at, {k, nowhere});
    } else {
      inverse_(k) = inverse(k, 0);
      hold(k, 1);
    }
    return true;
  }

  int free_slot() {
    for (int k = 0; k < state_.slots(); ++k)
      if (!state_.lives(k)) return k;
    const int slots = state_.slots();
    state_.grow(2 * slots);
    make_room();
    return slots;
  }

  TopicState& state_;
  const Fresh& fresh_;
  Rng& rng_;
  double eta_, all_;
  int topics_;  ///< that own a token
  OpenDocument document_;
  Eigen::ArrayXd joining_;   ///< weight of a topic without a token of the document
  Eigen::ArrayXd inverse_;   ///< 1 / (tokens of a topic + V eta)
  Eigen::ArrayXd per_word_;  ///< weight of each topic in the document, times that
  double sum_ = 0, fresh_mass_ = 0;
  std::vector<double> cumulated_;
};

}  // namespace buffet
