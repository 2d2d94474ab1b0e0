#include <testthat/vendor/catch.h>

#include <functional>
#include <vector>

#include "quadrature.h"
#include "scale.h"
#include "statistics.h"
#include "topic_case.h"
#include "topics/topics.h"

using buffet::Bits;
using buffet::ChosenTopic;
using buffet::Features;
using buffet::TopicChoices;
using buffet::TopicParameters;
using namespace test;

namespace {

/// Documents with these lengths, in which all tokens are word 0.
TopicData data_of(const std::vector<int>& lengths) {
  TopicData::Counts counts(lengths.size());
  for (std::size_t m = 0; m < lengths.size(); ++m)
    if (lengths[m] > 0) counts[m] = {{0, lengths[m]}};
  return TopicData(2, counts);
}

TopicModel known_model(Lengths lengths, double alpha, double gamma) {
  return {lengths, Hyper::fixed(alpha), Hyper::fixed(gamma), Hyper::fixed(1)};
}

const int draws = scaled(40000);

/// Compares draws of a number with its mean; rare values may not occur.
void check_mean(const Mean& seen, double truth) {
  INFO("is " << truth << ", sampled " << seen.value());
  const double gap = std::abs(seen.value() - truth);
  CHECK(gap < 4.5 * std::sqrt(seen.variance()) + 5.0 / draws);
}

/// Choices of a topic that has tokens in documents 1 and 4.
void check_choices(Lengths lengths, const TopicAtom& atom) {
  const TopicData data = data_of({3, 2, 0, 4, 1, 0, 2});
  TopicState state(data, known_model(lengths, 1, 1));
  state.resize(3);
  state.set_atom(2, atom);
  for (int m = 0; m < 7; ++m) state.ell(m) = 0.2 + 0.3 * m;
  std::vector<double> truth(7);
  double number = 0, variance = 0;
  for (int m = 0; m < 7; ++m) {
    const double none = atom.pi * std::exp(-state.ell(m) * atom.phi);
    truth[m] = m == 1 || m == 4 ? 1 : none / (1 - atom.pi + none);
    if (lengths == Lengths::given && data.length(m) == 0) truth[m] = 0;
    number += truth[m];
    variance += truth[m] * (1 - truth[m]);
  }
  Rng rng(631);
  TopicChoices choices;
  choices.begin(7);
  choices.add(4, {2, 1}, atom.phi, rng);
  choices.add(1, {2, 2}, atom.phi, rng);
  std::vector<Mean> seen(7);
  Moments total(number, variance);
  for (int n = 0; n < draws; ++n) {
    const Bits chosen = choices.draw(2, state, rng);
    for (int m = 0; m < 7; ++m) seen[m].add(chosen.at(m));
    total.add(chosen.count());
  }
  INFO("pi " << atom.pi << ", phi " << atom.phi);
  for (int m = 0; m < 7; ++m) check_mean(seen[m], truth[m]);
  if (variance > 1e-3) CHECK(total.largest_z() < 4.5);
}

/// alpha times the integral of f / pi over phi ~ Gamma(gamma, 1) and pi.
template <class F>
double over_topics(double alpha, double gamma, F f) {
  const auto of_log_phi = [&](long double t) {
    const long double phi = std::exp(t);
    const auto of_pi = [&](long double pi) { return f(pi, phi) / pi; };
    return std::exp(gamma * t - phi) * integral(of_pi, 0, 1, 2);
  };
  const double most = std::log(gamma + 50 + 12 * std::sqrt(gamma));
  return static_cast<double>(alpha * integral(of_log_phi, -50 / gamma, most, 32) /
                             std::tgamma(gamma));
}

/// Chosen topics without tokens, for nonempty documents with these exposures: their number, their
/// documents and their weights.
void check_silent(double alpha, double gamma, const std::vector<double>& ell) {
  const auto missed = [&](long double pi, long double phi, int but = -1) {
    long double product = 1;
    for (std::size_t m = 0; m < ell.size(); ++m)
      if (static_cast<int>(m) != but) product *= 1 + pi * std::expm1(-ell[m] * phi);
    return product;
  };
  const auto silent = [&](long double pi, long double phi) {
    return missed(pi, phi) - std::pow(1 - pi, static_cast<int>(ell.size()));
  };
  const double number = over_topics(alpha, gamma, silent);
  const double weight = over_topics(
      alpha, gamma, [&](long double pi, long double phi) { return phi * silent(pi, phi); });
  std::vector<int> lengths = {0, 0};
  for (std::size_t m = 0; m < ell.size(); ++m) lengths.insert(lengths.end(), {1, 0});
  const TopicData data = data_of(lengths);
  TopicState state(data, known_model(Lengths::given, alpha, gamma));
  for (std::size_t m = 0; m < ell.size(); ++m) state.ell(2 + 2 * m) = ell[m];
  Rng rng(632);
  Moments numbers(number, number);
  Mean weights;
  std::vector<Mean> documents(lengths.size());
  for (int n = 0; n < draws; ++n) {
    auto topics = draw_silent_topics(state, rng);
    numbers.add(double(topics.size()));
    double sum = 0;
    std::vector<int> chosen(lengths.size(), 0);
    for (ChosenTopic& topic : topics) {
      topic.documents.for_each([&](int m) { ++chosen[m]; });
      topic.draw_weight(gamma, rng);
      sum += topic.phi;
    }
    weights.add(sum);
    for (std::size_t m = 0; m < lengths.size(); ++m) documents[m].add(chosen[m]);
  }
  INFO("alpha " << alpha << ", gamma " << gamma << ", " << ell.size() << " documents");
  CHECK(numbers.largest_z() < 4.5);
  check_mean(weights, weight);
  for (std::size_t m = 0; m < lengths.size(); ++m) {
    INFO("document " << m);
    const auto of_one = [&](long double pi, long double phi) {
      const int filled = (static_cast<int>(m) - 2) / 2;
      return pi * std::exp(-ell[filled] * phi) * missed(pi, phi, filled);
    };
    check_mean(documents[m], lengths[m] == 0 ? 0 : over_topics(alpha, gamma, of_one));
  }
}

}  // namespace

TEST_CASE("tables of a topic have the law of restaurants", "[topics]") {
  Rng rng(633);
  TopicChoices choices;
  for (const double phi : {0.02, 0.9, 30.0}) {
    const std::vector<int> tokens = {1, 2, 17, 60};
    double mean = 0, variance = 0;
    for (int n : tokens)
      for (int i = 0; i < n; ++i) {
        mean += phi / (phi + i);
        variance += phi * i / ((phi + i) * (phi + i));
      }
    Moments tables(mean, variance), single(1, 0);
    for (int n = 0; n < scaled(20000); ++n) {
      choices.begin(5);
      choices.add(4, {1, 1}, phi, rng);
      for (int m = 0; m < 4; ++m) choices.add(m, {3, tokens[m]}, phi, rng);
      tables.add(choices.tables(3));
      single.add(choices.tables(1));
    }
    CHECK(tables.largest_z() < 4.5);
    CHECK(single.largest_z() < 4.5);
  }
}

TEST_CASE("for documents without a token of a topic, its choice is drawn from its conditional",
          "[topics]") {
  for (const Lengths lengths : {Lengths::model, Lengths::given})
    for (const double pi : {1e-300, 1e-9, 0.03, 0.4, 0.97, 1 - 0x1p-53})
      for (const double phi : {1e-200, 0.5, 6.0}) check_choices(lengths, {pi, phi});
}

TEST_CASE("chosen topics without tokens have their prior law", "[topics]") {
  check_silent(1.7, 1.3, {0.6, 0.6, 0.6, 0.6});
  check_silent(3.1, 0.4, {0.05, 2.5, 0.4, 0.9, 0.1});
  check_silent(2.0, 6, {0.3, 0.02, 8});
  check_silent(2.0, 0.9, {0.5});
}

TEST_CASE("chosen topics without tokens are Poisson in number with equal exposures", "[topics]") {
  const double ell = 0.8, gamma = 0.7, alpha = 2.4;
  const TopicData data = data_of(std::vector<int>(30, 1));
  TopicState state(data, known_model(Lengths::given, alpha, gamma));
  state.ell.setConstant(ell);
  double mean = -buffet::expected_topics(gamma, ell, 30);
  for (int m = 1; m <= 30; ++m) mean += 1.0 / m;
  Rng rng(634);
  Moments number(alpha * mean, alpha * mean);
  for (int n = 0; n < draws; ++n) number.add(double(draw_silent_topics(state, rng).size()));
  CHECK(number.largest_z() < 4.5);
}

TEST_CASE("the observed share of a document is a Beta variable", "[topics]") {
  Rng rng(635);
  for (const double weight : {0.03, 0.7, 4.0, 900.0})
    for (const int length : {1, 5, 400}) {
      const double sum = weight + length, mean = weight / sum;
      Moments u(mean, mean * (1 - mean) / (sum + 1));
      for (int n = 0; n < scaled(20000); ++n)
        u.add(std::exp(-buffet::draw_exposure_of(weight, length, rng)));
      INFO("weight " << weight << ", length " << length);
      CHECK(u.largest_z() < 4.5);
    }
  for (const double weight : {0.0, 1e-300, 1e-12, 1e12})
    for (int n = 0; n < 200; ++n) {
      const double ell = buffet::draw_exposure_of(weight, 3, rng);
      CHECK((ell > 0 && std::isfinite(ell)));
    }
}
