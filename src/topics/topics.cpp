#include "topics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/row_key.h"
#include "topic_fold.h"

namespace buffet {

bool TopicMove::propose() {
  const int k = pick(), l = rng_.bernoulli(0.5) ? pick() : k;
  if (!can_flip(k) || !can_flip(l)) return false;
  const bool has_k = draw_choice(k);
  if (l != k && draw_choice(l) == has_k) return false;
  choose_sets({k, has_k}, l);
  if (after_.empty()) return false;
  double log_ratio = deal();
  for (int flipped : {k, l}) {
    const TopicAtom atom = state_.atom(flipped);
    const double odds = std::log(atom.pi / (1 - atom.pi)) - state_.ell(document_.m) * atom.phi;
    log_ratio += (flipped == k) == has_k ? -odds : odds;
    if (l == k) break;
  }
  const bool accepted = keeps_all() && std::log(rng_.uniform()) < log_ratio;
  forget();
  return accepted;
}

int TopicMove::pick() {
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

void TopicMove::choose_sets(std::pair<int, bool> first, int second) {
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

int TopicMove::begin_of_word(int i) const {
  while (i > first() && state_.data->word(i - 1) == state_.data->word(i)) --i;
  return i;
}

int TopicMove::end_of_word(int i) const {
  const int word = state_.data->word(i);
  while (i < last() && state_.data->word(i) == word) ++i;
  return i;
}

TopicMove::Entry& TopicMove::entry_of(int k) {
  for (Entry& entry : entries_)
    if (entry.topic == k) return entry;
  entries_.push_back({k, 0, 0});
  return entries_.back();
}

double TopicMove::deal() {
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

void TopicMove::begin_deal(TopicDeal& deal, const std::vector<int>& set) {
  if (slots_ < state_.slots()) {
    slots_ = state_.slots();
    old_.make_room(slots_);
    new_.make_room(slots_);
  }
  deal.begin();
  for (int k : set) deal.put(k, state_.phi(k), others(k) + all_);
}

double TopicMove::deal_token(int j) {
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

int TopicMove::draw(double at) const {
  for (const Entry& entry : entries_)
    if ((at -= entry.after * new_.per_word(entry.topic)) < 0) return entry.topic;
  for (int k : after_)
    if ((at -= eta_ * new_.per_word(k)) < 0) return k;
  return after_.back();
}

bool TopicMove::keeps_all() const {
  for (int i = first(); i < last(); ++i)
    if (others(state_.z[i]) == 0 && new_.held(state_.z[i]) == 0) return false;
  return true;
}

void TopicMove::forget() {
  for (const auto* set : {&before_, &after_})
    for (int k : *set) {
      old_.clear(k);
      new_.clear(k);
    }
}

TopicFold::TopicFold(const TopicData& documents, const KnownTopics& known, const FoldPlan& plan)
    : state_(documents, known.model),
      counts_(documents.words()),
      known_(known.size()),
      plan_(plan),
      fresh_(known.model.alpha.value, known.model.gamma.value, known.atoms(0, known_),
             static_cast<int>(known.atoms(1, known_))) {
  known.check(documents.words(), std::numeric_limits<int>::max());
  state_.resize(std::max(1, known_));
  for (int k = 0; k < known_; ++k) {
    state_.set_atom(k, known.atom(k));
    for (const auto& [word, count] : known.words[k]) state_.counts.add(word, k, count);
  }
  counts_ = state_.counts;
}

TopicFold::Means TopicFold::document(int m, Rng& rng, const Check& check) {
  start(m, rng, check);
  TopicVisit<FreshTopicNew> visit(state_, fresh_, rng);
  TopicMove move(state_, visit.document(), rng);
  Means means{Eigen::ArrayXd::Zero(known_ + 1), Eigen::ArrayXd::Zero(known_),
              Eigen::ArrayXd::Zero(known_)};
  means.own.assign(state_.data->length(m), 0);
  const int skipped = plan_.sweeps / 4;
  for (int sweep = 0; sweep < plan_.sweeps; ++sweep) {
    check();
    visit.open(m);
    visit.visit_tokens();
    if (sweep >= skipped) add(visit, rng, means);
    for (int n = 0; n < plan_.moves && state_.data->length(m) > 0; ++n) {
      check();
      move([&](int k) { visit.refresh(k); });
    }
    draw_exposure(visit.document(), rng);
    if (sweep + 1 == plan_.sweeps) keep(visit.document(), rng, means);
    visit.close([](int, int) {});
  }
  leave(m);
  divide(means);
  return means;
}

void TopicFold::start(int m, Rng& rng, const Check& check) {
  state_.ell(m) = plan_.ell >= 0 ? plan_.ell : std::log(2.0);
  if (state_.data->length(m) == 0) state_.ell(m) = std::max(plan_.ell, 0.0);
  Eigen::Index most = 0;
  state_.pi.maxCoeff(&most);
  std::vector<double> weights;
  for (int i = state_.data->begin(m), word = -1; i < state_.data->end(m); ++i) {
    const auto& list = state_.counts.list(state_.data->word(i));
    if (state_.data->word(i) != word) {
      check();
      word = state_.data->word(i);
      weights.clear();
      for (const auto& entry : list)
        weights.push_back(entry.count * state_.pi(entry.topic) * state_.phi(entry.topic) /
                          state_.counts.total(entry.topic));
    }
    const int n = draw_number(weights, rng);
    state_.z[i] = n < 0 ? static_cast<int>(most) : list[n].topic;
  }
  for (int i = state_.data->begin(m); i < state_.data->end(m); ++i)
    state_.counts.add(state_.data->word(i), state_.z[i]);
}

void TopicFold::add(TopicVisit<FreshTopicNew>& visit, Rng& rng, Means& means) {
  const OpenDocument& document = visit.document();
  const double ell = state_.ell(document.m), all = draw_weights(document, rng);
  const double eta = state_.model.eta.value, words = state_.data->words();
  const Eigen::ArrayXd weights = visit.weights();
  per_word_.resize(state_.slots());
  for (int k = 0; k < state_.slots(); ++k) {
    const bool is_known = k < known_, is_weighed = !is_known || weights_[k] > 0;
    const double share = weights(k) / (all + (is_weighed ? 0 : state_.phi(k)));
    per_word_[k] = share / (state_.counts.total(k) + words * eta);
    means.shares(is_known ? k : known_) += share;
    if (!is_known) {
      means.flat += per_word_[k] * eta;
      continue;
    }
    means.per_word(k) += per_word_[k];
    means.chosen(k) += document.held[k] > 0 ? 1 : document.on(k);
  }
  const TopicAtom silent = fresh_.draw(ell, rng);
  const double mass = fresh_.mass(ell) * std::exp(fresh_.log_ratio(ell, silent));
  const double share = mass / (all + silent.phi);
  means.shares(known_) += share;
  means.flat += share / words;
  const int first = state_.data->begin(document.m);
  for (std::size_t i = 0; i < means.own.size(); ++i) means.own[i] += per_word_[state_.z[first + i]];
}

void TopicFold::divide(Means& means) const {
  const double sum = means.shares.sum();
  means.shares /= sum;
  means.per_word /= sum;
  means.flat /= sum;
  for (double& of_token : means.own) of_token /= sum;
  means.chosen /= plan_.sweeps - plan_.sweeps / 4;
}

void TopicFold::keep(const OpenDocument& document, Rng& rng, Means& means) {
  draw_weights(document, rng);
  means.weights = weights_;
  std::vector<int> place(state_.slots());
  int next = known_;
  for (int k = 0; k < state_.slots(); ++k)
    place[k] = k < known_ || document.held[k] == 0 ? k : next++;
  for (int i = state_.data->begin(document.m); i < state_.data->end(document.m); ++i)
    means.topics.push_back(place[state_.z[i]]);
}

double TopicFold::draw_weights(const OpenDocument& document, Rng& rng) {
  weights_.clear();
  for (int k = 0; k < state_.slots(); ++k) {
    const int held = document.held[k];
    if (held > 0 || (k < known_ && rng.bernoulli(document.on(k))))
      weights_.push_back(held + state_.phi(k));
    else if (k < known_)
      weights_.push_back(0);
  }
  fresh_.draw_silent(state_.ell(document.m), rng, weights_);
  return std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

void TopicFold::draw_exposure(const OpenDocument& document, Rng& rng) {
  const int length = state_.data->length(document.m);
  if (plan_.ell >= 0 || length == 0) return;
  state_.ell(document.m) = draw_exposure_of(draw_weights(document, rng) - length, length, rng);
}

std::uint64_t TopicFold::key(int m) const {
  std::vector<double> entries;  // number and count of each word
  for (int i = state_.data->begin(m); i < state_.data->end(m); ++i) {
    const double word = state_.data->word(i);
    if (entries.empty() || entries[entries.size() - 2] != word)
      entries.insert(entries.end(), {word, 0});
    ++entries.back();
  }
  return row_key(Eigen::Map<Eigen::VectorXd>(entries.data(), entries.size()));
}

void TopicFold::leave(int m) {
  for (int i = state_.data->begin(m); i < state_.data->end(m); ++i)
    if (state_.z[i] >= known_) state_.free(state_.z[i]);
  state_.counts = counts_;
  state_.resize(std::max(1, known_));
}

TopicChain::TopicChain(const TopicData& data, const TopicModel& model, int moves_, Rng rng_)
    : z(data.documents()), likelihood(data, model), moves(moves_), rng(std::move(rng_)) {}

Tallies TopicChain::sweep(const Check& check) {
  const Tally tally = visit_documents(check);
  update_parameters();
  return Tallies{tally};
}

Tally TopicChain::visit_documents(const Check& check) {
  const TopicModel& model = likelihood.model;
  if (model.lengths == Lengths::model)
    return visit_documents(FreshTopicEqual(model.alpha.value, model.gamma.value, likelihood.ell(0),
                                           likelihood.data->documents()),
                           check);
  const auto& filled = likelihood.data->filled();
  Eigen::ArrayXd ell(filled.size());
  for (std::size_t n = 0; n < filled.size(); ++n) ell(n) = likelihood.ell(filled[n]);
  return visit_documents(FreshTopic(model.alpha.value, model.gamma.value, std::move(ell)), check);
}

std::vector<double> TopicChain::scalars() const {
  const TopicModel& model = likelihood.model;
  const double log_lik = WordEvidence(likelihood.counts)(model.eta.value);
  return {double(z.size()),
          double(z.total()),
          model.alpha.value,
          model.gamma.value,
          model.eta.value,
          log_lik,
          log_lik + parameters_.log_prior(likelihood)};
}

std::vector<std::string> TopicChain::scalar_names() {
  return {"n_features", "n_ones", "alpha", "gamma", "eta", "log_lik", "log_joint"};
}

}  // namespace buffet
