#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "core/rng.h"
#include "topic_state.h"

namespace buffet {

/// The document being visited.
struct OpenDocument {
  int m = 0;
  std::vector<int> held;  ///< number of tokens of each topic in the document
  Eigen::ArrayXd on;      ///< probability that a topic without a token in the document is chosen
};

/// Gibbs steps for the tokens of documents, one after the other, with weights, choices of topics
/// and the topics' distributions over words integrated out. Let f be a topic's probability of the
/// word. A token then gets a topic that is already in its document with weight f (n + phi), any
/// other topic with weight f phi p(chosen | no token), and a fresh topic with the weight given by
/// Fresh.
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

  /// Weight of every topic in the document.
  Eigen::ArrayXd weights() const { return per_word_ / inverse_; }

  /// Calls f(k, n) for every topic k with n tokens in the document, and leaves the document.
  template <class F>
  void close(F f) {
    for (int i = first(); i < last(); ++i) {
      const int k = state_.z[i];
      if (document_.held[k] == 0) continue;
      f(k, document_.held[k]);
      document_.held[k] = 0;
    }
  }

  /// Updates a topic whose tokens were changed elsewhere.
  void refresh(int k) { inverse_(k) = inverse(k, 0); }

 private:
  using List = TopicCounts::List;
  static constexpr int fresh = -1;  ///< not an existing topic

  /// The current topic of a token, excluding the token itself: its weight times 1 / (its tokens + V
  /// eta), the sum of these over all topics, and its position in the word's list.
  struct Own {
    int topic;
    double per_word, sum;
    int at = 0;
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

  /// Updates for a change in the document's tokens of a topic, after its counts have changed.
  void hold(int k, int change) {
    document_.held[k] += change;
    inverse_(k) = inverse(k, 0);
    const double now = weight(k, document_.held[k]) * inverse_(k);
    sum_ += now - per_word_(k);
    per_word_(k) = now;
  }

  void visit(int i) {
    const int k = state_.z[i];
    const double without = weight(k, document_.held[k] - 1) * inverse(k, 1);
    Own own{k, without, sum_ - per_word_(k) + without};
    const int topic = choose(state_.data->word(i), own);
    if (topic == k) return;
    if (topic == fresh)
      open_topic(i, own, 0);
    else
      move(i, own, topic);
  }

  /// The update for the last token of a topic, which disappears without it.
  void visit_last(int i) {
    const int k = state_.z[i];
    const TopicAtom atom = state_.atom(k);
    Own own{k, 0, sum_ - per_word_(k)};
    --topics_;
    const int topic = choose(state_.data->word(i), own);
    const double log_ratio = Fresh::equal ? 0 : fresh_.log_ratio(ell(), atom);
    if (topic == fresh) {
      topics_ += !open_topic(i, own, log_ratio);
    } else if (accept(-log_ratio)) {
      state_.free(k);
      document_.on(k) = joining_(k) = 0;
      move(i, own, topic);
    } else {
      ++topics_;
    }
  }

  bool accept(double log_ratio) { return log_ratio >= 0 || rng_.uniform() < std::exp(log_ratio); }

  /// Draws a topic for a token of the word, excluding the token from its current topic, whose
  /// position in the word's list is written into `own`.
  int choose(int word, Own& own) {
    const List& list = state_.counts.list(word);
    const int size = static_cast<int>(list.size());
    // Avoids a branch, which would be mispredicted.
    const double of_own = per_word_(own.topic);
    per_word_(own.topic) = own.per_word;
    const double* per_word = per_word_.data();
    double* cumulated = cumulated_.data();
    double mass = 0;
    int own_at = 0;
    for (int n = 0; n < size; ++n) {
      const bool is_own = list[n].topic == own.topic;
      own_at = is_own ? n : own_at;
      mass += (list[n].count - is_own) * per_word[list[n].topic];
      cumulated[n] = mass;
    }
    own.at = own_at;
    per_word_(own.topic) = of_own;
    const double fresh_mass = topics_ < state_.model.max_topics ? fresh_mass_ : 0;
    double at = rng_.uniform() * (mass + eta_ * own.sum + fresh_mass);
    if (at < mass) {
      int n = 0;
      while (cumulated_[n] <= at) ++n;
      return list[n].topic;
    }
    at -= mass;
    if (at >= eta_ * own.sum && fresh_mass > 0) return fresh;
    return smoothed(at / eta_, own);
  }

  /// Draws a topic with probability proportional to its weight in the document divided by its size.
  int smoothed(double at, const Own& own) const {
    int last = own.topic;
    for (int k = 0; k < per_word_.size(); ++k) {
      const double mass = k == own.topic ? own.per_word : per_word_(k);
      if (mass <= 0) continue;
      last = k;
      at -= mass;
      if (at < 0) break;
    }
    return last;
  }

  void move(int i, const Own& own, int topic) {
    const int word = state_.data->word(i);
    state_.counts.remove_at(word, own.at);
    state_.counts.add(word, topic);
    hold(own.topic, -1);
    hold(topic, 1);
    state_.z[i] = topic;
  }

  /// Opens a fresh topic for the token, if it is accepted; it may replace a topic that disappears.
  bool open_topic(int i, const Own& own, double log_ratio_before) {
    const TopicAtom atom = fresh_.draw(ell(), rng_);
    if (!Fresh::equal && !accept(fresh_.log_ratio(ell(), atom) - log_ratio_before)) return false;
    ++topics_;
    const bool ends = state_.counts.total(own.topic) == 1;
    const int k = ends ? own.topic : free_slot();
    state_.set_atom(k, atom);
    weigh(k);
    if (ends)
      hold(k, 0);
    else
      move(i, own, k);
    return true;
  }

  int free_slot() {
    for (int k = 0; k < state_.slots(); ++k)
      if (!state_.lives(k)) return k;
    const int slots = state_.slots();
    state_.resize(2 * slots);
    make_room();
    return slots;
  }

  TopicState& state_;
  const Fresh& fresh_;
  Rng& rng_;
  double eta_, all_;
  int topics_;  ///< with at least one token
  OpenDocument document_;
  Eigen::ArrayXd joining_;   ///< weight of a topic without a token in the document
  Eigen::ArrayXd inverse_;   ///< 1 / (tokens of a topic + V eta)
  Eigen::ArrayXd per_word_;  ///< weight of each topic in the document, times inverse_
  double sum_ = 0, fresh_mass_ = 0;
  std::vector<double> cumulated_;
};

}  // namespace buffet
