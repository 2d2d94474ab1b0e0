#include <testthat/vendor/catch.h>

#include <vector>

#include "topic_case.h"
#include "topics/topics.h"

using buffet::Bits;
using buffet::Features;
using buffet::TopicChain;
using buffet::TopicChoices;
using namespace test;

namespace {

struct Topic {
  Bits documents;
  double phi;
  int slot;  ///< -1: the topic has no token
};

double log_gamma_density(double x, double shape, double rate) {
  return shape * std::log(rate) + (shape - 1) * std::log(x) - rate * x - std::lgamma(shape);
}

int held(const TopicState& state, int m, int k) {
  int n = 0;
  for (int i = state.data->begin(m); i < state.data->end(m); ++i) n += state.z[i] == k;
  return n;
}

/// Numbers of tokens of the chosen topics, which are negative binomial, in any order.
double log_numbers(const TopicState& state, const std::vector<Topic>& topics) {
  double sum = 0;
  for (int m = 0; m < state.data->documents(); ++m) {
    sum -= std::lgamma(state.data->length(m) + 1.0);
    for (const Topic& topic : topics) {
      if (!topic.documents.at(m)) continue;
      const int n = held(state, m, topic.slot);
      sum += std::lgamma(topic.phi + n) - std::lgamma(topic.phi) - std::lgamma(n + 1.0) +
             (topic.phi + n) * std::log(0.5) + std::lgamma(n + 1.0);
    }
  }
  return sum;
}

/// Topics of the tokens in a document of given length, which are Dirichlet-multinomial.
double log_shares(const TopicState& state, const std::vector<Topic>& topics) {
  double sum = 0;
  for (int m : state.data->filled()) {
    double weight = 0;
    for (const Topic& topic : topics) {
      if (!topic.documents.at(m)) continue;
      weight += topic.phi;
      sum += std::lgamma(topic.phi + held(state, m, topic.slot)) - std::lgamma(topic.phi);
    }
    sum += std::lgamma(weight) - std::lgamma(weight + state.data->length(m));
  }
  return sum;
}

/// Log density of all learned quantities and the topics of tokens, given the known topics.
double log_prior(const TopicState& state, const std::vector<Topic>& topics) {
  const TopicModel& model = state.model;
  const Hyper &alpha = model.alpha, &gamma = model.gamma;
  const bool given = model.lengths == Lengths::given;
  double sum = given ? log_shares(state, topics) : log_numbers(state, topics);
  for (const Hyper* hyper : {&alpha, &gamma, &model.eta})
    if (hyper->learned) sum += log_gamma_density(hyper->value, hyper->shape, hyper->rate);
  const int shared_by = given ? int(state.data->filled().size()) : state.data->documents();
  for (int j = 1; j <= shared_by; ++j)
    sum -= alpha.value / j * (given ? 1 : 1 - std::pow(1 + j * std::log(2.0), -gamma.value));
  for (const Topic& topic : topics) {
    const int count = topic.documents.count();
    sum += std::log(alpha.value) + std::lgamma(count) + std::lgamma(shared_by - count + 1) -
           std::lgamma(shared_by + 1) + log_gamma_density(topic.phi, gamma.value, 1);
  }
  return sum;
}

/// Topics with tokens, with these choices.
std::vector<Topic> topics_of(const TopicState& state, const Features& z) {
  std::vector<Topic> topics;
  for (int k = 0; k < state.slots(); ++k)
    if (state.lives(k)) {
      const Bits& documents = z.column(static_cast<int>(topics.size()));
      topics.push_back({documents, state.phi(k), k});
    }
  return topics;
}

double log_urn(const TopicState& state) {
  const double eta = state.model.eta.value;
  Eigen::MatrixXi before = Eigen::MatrixXi::Zero(state.data->words(), state.slots());
  double sum = 0;
  for (int i = 0; i < state.data->tokens(); ++i) {
    const int k = state.z[i], all = before.col(k).sum();
    sum += std::log((before(state.data->word(i), k)++ + eta) / (all + before.rows() * eta));
  }
  return sum;
}

const Documents& documents() {
  static const Documents all = {{{0, 0}, {0, 3}, {2, 0}}, {},       {{1, 3}, {2, 3}}, {{0, 1}},
                                {{1, 1}, {1, 1}, {3, 0}}, {{3, 1}}, {{2, 0}}};
  return all;
}

}  // namespace

TEST_CASE("the records of a chain match its state", "[topics]") {
  const TopicData data = topic_data(4, documents());
  const TopicModel model{Lengths::model, Hyper::gamma(3, 1.2), Hyper::gamma(2.4, 2),
                         Hyper::gamma(2, 3)};
  TopicChain chain(data, model, 1, Rng(641));
  chain.likelihood.start(3, chain.rng);
  for (int t = 0; t < 40; ++t) {
    chain.sweep([] {});
    const TopicState& state = chain.likelihood;
    const auto values = chain.scalars();
    REQUIRE(values.size() == TopicChain::scalar_names().size());
    CHECK(values[0] == state.topics());
    CHECK(values[1] == chain.z.total());
    CHECK(values[2] == state.model.alpha.value);
    CHECK(values[3] == state.model.gamma.value);
    CHECK(values[4] == state.model.eta.value);
    CHECK(values[5] == Approx(log_urn(state)));
    CHECK(values[6] == Approx(log_urn(state) + log_prior(state, topics_of(state, chain.z))));
  }
}

TEST_CASE("the log joint density for given lengths includes chosen topics without tokens",
          "[topics]") {
  const TopicData data = topic_data(4, documents());
  TopicState state(data,
                   {Lengths::given, Hyper::gamma(9, 3), Hyper::fixed(1.3), Hyper::gamma(2, 3)});
  assign(documents(), {{0.3, 0.7}, {0.6, 2.1}, {0, 1}, {0.2, 1.4}}, state);
  Rng rng(642);
  std::size_t in_vain = 0;
  for (int t = 0; t < 40; ++t) {
    TopicChoices choices;
    choices.begin(data.documents());
    for (int m : data.filled())
      for (int k = 0; k < 4; ++k)
        if (held(state, m, k) > 0) choices.add(m, {k, held(state, m, k)}, state.phi(k), rng);
    // Repeats the draws to obtain the parameters' private values.
    Rng again = rng;
    for (int k : {0, 1, 3}) choices.draw(k, state, again);
    auto silent = draw_silent_topics(state, again);
    for (auto& topic : silent) topic.draw_weight(1.3, again);
    Features z(data.documents());
    buffet::TopicParameters parameters;
    parameters.update(state, choices, z, rng);
    auto topics = topics_of(state, z);
    REQUIRE(topics.size() == 3);
    for (const auto& topic : silent) topics.push_back({topic.documents, topic.phi, -1});
    CHECK(parameters.log_prior(state) == Approx(log_prior(state, topics)));
    in_vain += silent.size();
  }
  CHECK(in_vain > 20);
}
