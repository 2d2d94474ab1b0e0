#include <testthat/vendor/catch.h>

#include <algorithm>
#include <vector>

#include "scale.h"
#include "statistics.h"
#include "topic_exact.h"
#include "topics/topic_move.h"
#include "topics/topic_visit.h"

using buffet::FreshTopic;
using buffet::FreshTopicEqual;
using buffet::TopicMove;
using buffet::TopicVisit;
using namespace test;

namespace {

TopicModel model_of(const OneDocument& document) {
  return {Lengths::model, Hyper::fixed(1e-12), Hyper::fixed(1.3), Hyper::fixed(document.eta)};
}

/// A document and its state, with practically no fresh topics.
struct Opened {
  OneDocument exact;
  TopicData data;
  TopicState state;
  Rng rng;

  Opened(const OneDocument& document, const std::vector<int>& z, double u)
      : exact(document),
        data(topic_data(4, document.documents(z))),
        state(data, model_of(document)),
        rng(611) {
    assign(document.documents(z), document.atoms, state);
    state.ell.setConstant(-std::log(u));
  }
  std::vector<int> assignment() const {
    return {state.z.begin(), state.z.begin() + exact.length()};
  }
};

/// Checks the conditional distribution of one more token of the word, given the topics of the other
/// tokens.
template <class Fresh>
void check_conditional(const OneDocument& document, int word, double u, const Fresh& fresh) {
  for (int number = 0; number < document.assignments(); ++number) {
    std::vector<int> z = document.assignment(number);
    Opened opened(document, z, u);
    TopicVisit<Fresh> visit(opened.state, fresh, opened.rng);
    visit.open(0);
    Eigen::ArrayXd weights = visit.weights(), truth(document.topics());
    OneDocument longer = document;
    longer.words.push_back(word);
    z.push_back(0);
    for (int k = 0; k < document.topics(); ++k) {
      double of_word = document.others(word, k), all = document.others.col(k).sum();
      for (int i = 0; i < document.length(); ++i) {
        of_word += z[i] == k && document.words[i] == word;
        all += z[i] == k;
      }
      weights(k) *= (of_word + document.eta) / (all + 4 * document.eta);
      z.back() = k;
      truth(k) = longer.weight(z, u);
    }
    const double gap = (weights / weights.sum() - truth / truth.sum()).abs().maxCoeff();
    CHECK(gap < 1e-12);
  }
}

FreshTopicEqual no_fresh(double u) {
  return FreshTopicEqual(1e-12, 1.3, -std::log(u), 2);
}

struct Steps {
  bool tokens;
  int moves;
};

/// Compares how often each assignment of topics occurs with its probability; topic `own` must keep
/// a token unless it is -1.
void check_frequencies(const OneDocument& document, double u, int own, const Steps& steps) {
  std::vector<double> truth(document.assignments());
  double total = 0;
  for (int number = 0; number < document.assignments(); ++number) {
    const auto z = document.assignment(number);
    const bool lives = own < 0 || document.held(z)[own] > 0;
    total += truth[number] = lives ? document.weight(z, u) : 0;
  }
  const int sweeps = std::max(scaled(100000), 40000);
  std::vector<BatchMean> seen(truth.size(), BatchMean(sweeps, 200));
  Opened opened(document, std::vector<int>(document.length(), document.topics() - 1), u);
  const FreshTopicEqual fresh = no_fresh(u);
  TopicVisit<FreshTopicEqual> visit(opened.state, fresh, opened.rng);
  TopicMove move(opened.state, visit.document(), opened.rng);
  for (int t = -50; t < sweeps; ++t) {
    visit.open(0);
    if (steps.tokens) visit.visit_tokens();
    for (int n = 0; n < steps.moves; ++n) move([&](int k) { visit.refresh(k); });
    visit.close([](int, int) {});
    const int number = document.number(opened.assignment());
    for (std::size_t n = 0; t >= 0 && n < truth.size(); ++n) seen[n].add(int(n) == number);
  }
  for (std::size_t n = 0; n < truth.size(); ++n) {
    if (truth[n] / total < 0.004 && truth[n] > 0) continue;
    INFO("assignment " << n << " has probability " << truth[n] / total << ", seen "
                       << seen[n].value());
    const double z = seen[n].z(truth[n] / total);
    CHECK(std::abs(z) < 4.5);
  }
}

/// Weights computed from their definition.
Eigen::ArrayXd weights_of(const TopicState& state, int m) {
  Eigen::ArrayXd weights(state.slots());
  for (int k = 0; k < state.slots(); ++k) {
    const auto [pi, phi] = state.atom(k);
    const double none = pi * std::exp(-state.ell(m) * phi);
    int held = 0;
    for (int i = state.data->begin(m); i < state.data->end(m); ++i) held += state.z[i] == k;
    weights(k) = held > 0 ? held + phi : phi * none / (1 - pi + none);
  }
  return weights;
}

/// Checks stored values during repeated visits to the tokens of all documents, while topics begin
/// and end.
template <class MakeFresh>
void check_kept_weights(MakeFresh make_fresh, bool equal) {
  Rng rng(612);
  TopicData::Counts counts(9);
  for (auto& document : counts)
    for (int w = rng.below(3); w < 6; w += 1 + rng.below(3))
      document.push_back({w, 1 + rng.below(3)});
  const TopicData data(6, counts);
  TopicState state(data, {Lengths::model, Hyper::fixed(9), Hyper::fixed(0.8), Hyper::fixed(0.5)});
  for (int m = 0; m < 9 && !equal; ++m) state.ell(m) = 0.2 + rng.uniform();
  state.start(2, rng);
  int most = 0;
  for (int t = 0; t < 200; ++t) {
    const auto fresh = make_fresh(state.ell);
    TopicVisit<decltype(make_fresh(state.ell))> visit(state, fresh, rng);
    TopicMove move(state, visit.document(), rng);
    for (int m : data.filled()) {
      visit.open(m);
      const double before = (visit.weights() - weights_of(state, m)).abs().maxCoeff();
      visit.visit_tokens();
      const double after = (visit.weights() - weights_of(state, m)).abs().maxCoeff();
      CHECK(before < 1e-10);
      CHECK(after < 1e-10);
      move([&](int k) { visit.refresh(k); });
      visit.close([](int, int) {});
    }
    most = std::max(most, state.topics());
  }
  CHECK(most > 4);
}

}  // namespace

TEST_CASE("a token's conditional agrees with an enumeration of all choices", "[topics]") {
  const OneDocument document = one_document({0, 1, 1}, 3);
  for (const double u : {0.5, 0.3, 0.9})
    for (const int word : {0, 1, 3}) {
      check_conditional(document, word, u, no_fresh(u));
      check_conditional(document, word, u,
                        FreshTopic(1e-12, 1.3, Eigen::ArrayXd::Constant(2, -std::log(u))));
      check_conditional(one_document({}, 3), word, u, no_fresh(u));
    }
}

TEST_CASE("steps of tokens have the posterior from an enumeration", "[topics]") {
  for (const double u : {0.5, 0.2})
    for (const int topics : {2, 3})
      check_frequencies(one_document({0, 0, 2}, topics), u, -1, {true, 0});
}

TEST_CASE("moves of a document's topics have the posterior from an enumeration", "[topics]") {
  for (const double u : {0.5, 0.2})
    for (const int topics : {2, 3}) {
      check_frequencies(one_document({0, 0, 2}, topics), u, -1, {false, 1});
      check_frequencies(one_document({0, 1, 1}, topics), u, -1, {true, 2});
    }
}

TEST_CASE("moves do not drop a topic that no other document has", "[topics]") {
  for (const double u : {0.5, 0.2})
    check_frequencies(one_document({0, 1, 1}, 3, true), u, 2, {false, 1});
}

TEST_CASE("moves of a long document are rejected if all its words contradict them", "[topics]") {
  for (int length = 60; length < 120; ++length) {
    OneDocument document = one_document(std::vector<int>(length, 0), 2);
    document.others << 500, 0, 0, 500, 0, 0, 0, 0;
    Opened opened(document, std::vector<int>(length, 0), 0.5);
    const FreshTopicEqual fresh = no_fresh(0.5);
    TopicVisit<FreshTopicEqual> visit(opened.state, fresh, opened.rng);
    TopicMove move(opened.state, visit.document(), opened.rng);
    int least = length;
    for (int t = 0; t < 500; ++t) {
      visit.open(0);
      move([&](int k) { visit.refresh(k); });
      visit.close([](int, int) {});
      const auto z = opened.assignment();
      least = std::min(least, static_cast<int>(std::count(z.begin(), z.end(), 0)));
    }
    CHECK(least > length - 10);
  }
}

TEST_CASE("stored values of all topics are up to date during a visit", "[topics]") {
  check_kept_weights(
      [](const Eigen::ArrayXd& ell) {
        return FreshTopicEqual(9, 0.8, ell(0), static_cast<int>(ell.size()));
      },
      true);
  check_kept_weights([](const Eigen::ArrayXd& ell) { return FreshTopic(9, 0.8, ell); }, false);
}
